//! Systems that have none, or whose calls are not used yet.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("POSIX message queues: only on Linux and FreeBSD (macOS has none)"))
}

pub(super) fn create(_message_bytes: usize) -> io::Result<Handle> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn send(_queue: &Handle, _message: &[u8]) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn try_send(_queue: &Handle, _message: &[u8]) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn receive(_queue: &Handle, _buffer: &mut [u8]) -> io::Result<usize> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
