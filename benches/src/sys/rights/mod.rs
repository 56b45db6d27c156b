//! Descriptors that travel with a message over a Unix socket.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "unsupported.rs")]
mod imp;

/// Whether sockets pass descriptors here.
///
/// # Errors
/// The reason where they do not.
pub fn support() -> Result<(), Unsupported> {
    if cfg!(unix) { Ok(()) } else { Err(Unsupported::because("SCM_RIGHTS: not on Windows")) }
}

/// What one call received.
#[derive(Debug)]
pub struct Received {
    /// How many of the bytes that came with it.
    pub bytes: usize,
    /// The descriptor, if there was one.
    pub handle: Option<Handle>,
    /// The kernel dropped a descriptor that this process could not take.
    pub is_cut: bool,
}

/// Sends one descriptor along with a few bytes; returns how many of them.
///
/// # Errors
/// Of the system.
#[inline]
pub fn send(socket: &Handle, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
    imp::send(socket, handle, bytes)
}

/// Waits for a message and the descriptor in it, which is kept from children.
///
/// # Errors
/// Of the system.
#[inline]
pub fn receive(socket: &Handle, bytes: &mut [u8]) -> io::Result<Received> {
    imp::receive(socket, bytes)
}
