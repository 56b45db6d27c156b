//! Bytes over a pipe or a stream socket: one call each, which may move fewer bytes than asked for.

use super::handle::Handle;
use std::io;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// Writes some of the bytes, waiting while there is no room; returns how many.
///
/// # Errors
/// Of the system; `Interrupted` when nothing was written and the call is to be repeated.
#[inline]
pub fn write(stream: &Handle, bytes: &[u8]) -> io::Result<usize> {
    imp::write(stream, bytes)
}

/// Reads what there is, waiting while there is nothing; returns how many bytes, 0 at the end.
///
/// # Errors
/// Of the system; `Interrupted` when nothing was read and the call is to be repeated.
#[inline]
pub fn read(stream: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    imp::read(stream, buffer)
}
