//! Systems whose call for it is not used yet.

use crate::sys::Unsupported;
use std::io;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("process_vm_readv: only on Linux"))
}

pub(super) fn permit() {}

pub(super) fn read(_process: u32, _address: u64, _buffer: &mut [u8]) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
