//! Systems whose mechanism is not used yet.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("eventfd: only on Linux"))
}

pub(super) fn create() -> io::Result<Handle> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn raise(_event: &Handle) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn wait(_event: &Handle) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
