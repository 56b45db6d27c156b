//! POSIX message queues without a name: created, unlinked at once, and passed on as a descriptor.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "freebsd")), path = "unsupported.rs")]
mod imp;

/// Messages that a queue holds: the default limit of Linux (`fs.mqueue.msg_max`, `mq_overview(7)`).
pub const MESSAGES_MAX: u32 = 10;

/// Whether the mechanism exists here.
///
/// # Errors
/// The reason where it does not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Creates a queue of [`MESSAGES_MAX`] messages of at most this many bytes.
///
/// # Errors
/// Naming the limit that is too small.
pub fn create(message_bytes: usize) -> io::Result<Handle> {
    imp::create(message_bytes)
}

/// Sends one message, waiting while the queue is full.
///
/// # Errors
/// Of the system.
#[inline]
pub fn send(queue: &Handle, message: &[u8]) -> io::Result<()> {
    imp::send(queue, message)
}

/// Sends one message, unless the queue is full.
///
/// # Errors
/// Of the system; `TimedOut` when it is full.
pub fn try_send(queue: &Handle, message: &[u8]) -> io::Result<()> {
    imp::try_send(queue, message)
}

/// Receives one message, waiting for it; returns its length. The buffer holds at least the queue's message size.
///
/// # Errors
/// Of the system.
#[inline]
pub fn receive(queue: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    imp::receive(queue, buffer)
}
