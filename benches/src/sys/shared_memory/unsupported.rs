//! Systems whose mechanism is not used yet.

use crate::sys::Unsupported;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr::NonNull;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("nameless shared memory: only on Linux yet"))
}

pub(super) fn create(_bytes: usize) -> io::Result<OwnedFd> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn map(
    _memory: BorrowedFd<'_>,
    _offset: usize,
    _bytes: usize,
    _populate: bool,
) -> io::Result<NonNull<u8>> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn unmap(_address: NonNull<u8>, _bytes: usize) {}
