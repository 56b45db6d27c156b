//! Systems where a pipe has the size that it has.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;

pub(super) fn support(_bytes: usize) -> Result<(), Unsupported> {
    Err(Unsupported::because("asking for a pipe's size: only on Linux"))
}

pub(super) fn set(_pipe: &Handle, _bytes: usize) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn get(_pipe: &Handle) -> Option<u64> {
    None
}
