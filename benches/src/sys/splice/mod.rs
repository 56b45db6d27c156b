//! Putting memory into a pipe by reference instead of by copy: the pipe then holds the very pages.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Whether the mechanism exists here.
///
/// # Errors
/// The reason where it does not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Whether [`memory`] is permitted: filters of system calls that containers have refuse it and permit [`object`].
///
/// # Errors
/// The reason where it is not.
pub fn memory_support() -> Result<(), Unsupported> {
    imp::memory_support()
}

/// Puts pages of this process into the pipe, waiting while it is full; returns how many bytes. Until the other end has
/// read them, writing to this memory changes what it will read.
///
/// # Errors
/// Of the system: the other end is gone.
#[inline]
pub fn memory(pipe: &Handle, bytes: &[u8]) -> io::Result<usize> {
    imp::memory(pipe, bytes)
}

/// Puts pages of a memory object into the pipe, from an offset on, which moves on; returns how many bytes.
///
/// # Errors
/// Of the system: the other end is gone.
#[inline]
pub fn object(pipe: &Handle, object: &Handle, offset: &mut u64, bytes: usize) -> io::Result<usize> {
    imp::object(pipe, object, offset, bytes)
}
