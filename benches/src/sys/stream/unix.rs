//! Unix: `write` and `read` (POSIX).

use crate::sys::handle::Handle;
use std::io;

#[inline]
pub(super) fn write(stream: &Handle, bytes: &[u8]) -> io::Result<usize> {
    Ok(rustix::io::write(stream, bytes)?)
}

#[inline]
pub(super) fn read(stream: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(stream, buffer)?)
}
