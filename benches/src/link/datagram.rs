//! One message per call, over sockets that keep message boundaries: `send` and `recv`.

use super::passable::Passable;
use super::{Receiver, Sender, closed, closed_or, handle, unexpected_length};
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use std::io::{self, ErrorKind};
use std::time::Duration;

/// Sent when the sender leaves, where a socket would not report it. It is longer than any answer and equals no payload.
pub(crate) const GOODBYE: [u8; 16] = *b"roundtrip leaves";

#[derive(Debug)]
pub(crate) struct DatagramSender {
    pub(crate) socket: Handle,
    /// The kind of socket. A datagram socket does not report that its other end is closed, so this one sends
    /// [`GOODBYE`].
    pub(crate) kind: Kind,
}

impl Sender for DatagramSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        loop {
            match socket::send(&self.socket, message) {
                Ok(sent) if sent == message.len() => return Ok(()),
                Ok(sent) => return Err(unexpected_length(sent, message.len())),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    _ => return Err(closed_or(error)),
                },
            }
        }
    }

    fn send_handle(&mut self, passed: &Passable) -> io::Result<()> {
        handle::send(&self.socket, passed)
    }
}

impl Drop for DatagramSender {
    fn drop(&mut self) {
        if self.kind == Kind::Datagram {
            // If the other end has left, or its queue is full, it is not waiting for this.
            let _ = socket::try_send(&self.socket, &GOODBYE);
        }
    }
}

#[derive(Debug)]
pub(crate) struct DatagramReceiver {
    pub(crate) socket: Handle,
    /// The kind of socket. For records, an empty one is the end of the connection.
    pub(crate) kind: Kind,
}

impl Receiver for DatagramReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        loop {
            match socket::receive(&self.socket, buffer, self.kind) {
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::WouldBlock => {}
                    _ => return Err(error),
                },
                Ok(length) => return self.judge(length, buffer),
            }
        }
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        socket::set_timeout(&self.socket, timeout)
    }

    #[inline]
    fn receive_soon<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        loop {
            match socket::receive(&self.socket, buffer, self.kind) {
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock => return Ok(None),
                    _ => return Err(error),
                },
                Ok(length) => return self.judge(length, buffer).map(Some),
            }
        }
    }

    fn receive_handle(&mut self) -> io::Result<Passable> {
        handle::receive(&self.socket)
    }
}

impl DatagramReceiver {
    #[inline]
    fn judge<'a>(&self, length: usize, buffer: &'a [u8]) -> io::Result<&'a [u8]> {
        let goodbye = &GOODBYE[..GOODBYE.len().min(buffer.len())];
        if (self.kind == Kind::Record && length == 0)
            || (length == GOODBYE.len() && buffer.starts_with(goodbye))
        {
            return Err(closed());
        }
        if length != buffer.len() {
            return Err(unexpected_length(length, buffer.len()));
        }
        Ok(buffer)
    }
}
