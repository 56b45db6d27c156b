//! Sockets that keep the borders of messages, connected pairs, and what their buffers hold.

use super::handle::Handle;
use socket2::Socket;
use std::io;
use std::time::Duration;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// What a socket of the Unix family carries (socket(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    Stream,
    /// Messages.
    Datagram,
    /// Messages, and the end of the connection.
    Record,
}

/// A connected pair of Unix sockets (socketpair(2)), closed in children.
///
/// # Errors
/// Of the system, where it has none of this kind.
pub fn pair(kind: Kind) -> io::Result<(Handle, Handle)> {
    imp::pair(kind)
}

/// A handle as a socket.
///
/// # Errors
/// When it is something else.
pub fn of(handle: Handle) -> io::Result<Socket> {
    imp::of(handle)
}

/// Sends one message, waiting while there is no room; returns its length. Never ends the process (`SIGPIPE`).
///
/// # Errors
/// Of the system.
#[inline]
pub fn send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    imp::send(socket, message)
}

/// Sends one message, unless there is no room.
///
/// # Errors
/// Of the system; `WouldBlock` when there is no room.
pub fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    imp::try_send(socket, message)
}

/// Receives one message and returns its length: more than the buffer's when it did not fit.
///
/// # Errors
/// Of the system; `WouldBlock` when patience ends.
#[inline]
pub fn receive(socket: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    imp::receive(socket, buffer)
}

/// How long [`receive`] waits (`SO_RCVTIMEO`).
///
/// # Errors
/// Of the system.
pub fn set_patience(socket: &Handle, patience: Duration) -> io::Result<()> {
    imp::reference(socket)?.set_read_timeout(Some(patience))
}

/// What the buffers hold, `SO_SNDBUF` and `SO_RCVBUF` (socket(7); Linux answers twice what was asked for, because it
/// counts its own records too).
pub fn buffer_bytes(socket: &Handle) -> [Option<u64>; 2] {
    let Ok(socket) = imp::reference(socket) else { return [None; 2] };
    [socket.send_buffer_size(), socket.recv_buffer_size()].map(|bytes| bytes.ok().map(|bytes| bytes as u64))
}

/// Asks for buffers of this size in both directions. The system caps it in silence.
///
/// # Errors
/// Of the system.
pub fn set_buffer_bytes(socket: &Handle, bytes: usize) -> io::Result<()> {
    let socket = imp::reference(socket)?;
    socket.set_send_buffer_size(bytes)?;
    socket.set_recv_buffer_size(bytes)
}
