//! Systems that have no such call.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("splice and vmsplice: only on Linux"))
}

pub(super) fn memory_support() -> Result<(), Unsupported> {
    support()
}

pub(super) fn memory(_pipe: &Handle, _bytes: &[u8]) -> io::Result<usize> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn object(
    _pipe: &Handle,
    _object: &Handle,
    _offset: &mut u64,
    _bytes: usize,
) -> io::Result<usize> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
