//! Systems whose mechanism is not used yet.

use crate::sys::Unsupported;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("eventfd: only on Linux"))
}

pub(super) fn create() -> io::Result<OwnedFd> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn raise(_event: BorrowedFd<'_>) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn wait(_event: BorrowedFd<'_>) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
