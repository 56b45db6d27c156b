//! Systems whose sockets pass no descriptors.

use super::Received;
use crate::sys::handle::Handle;
use std::io;

pub(super) fn send(_socket: &Handle, _handle: &Handle, _bytes: &[u8]) -> io::Result<usize> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn receive(_socket: &Handle, _bytes: &mut [u8]) -> io::Result<Received> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
