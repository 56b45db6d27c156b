//! Systems that have no such call.

use crate::sys::Unsupported;
use std::io;
use std::os::fd::BorrowedFd;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("splice and vmsplice: only on Linux"))
}

pub(super) fn memory(_pipe: BorrowedFd<'_>, _bytes: &[u8]) -> io::Result<usize> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn object(
    _pipe: BorrowedFd<'_>,
    _object: BorrowedFd<'_>,
    _offset: &mut u64,
    _bytes: usize,
) -> io::Result<usize> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
