//! One message a call, over sockets that keep the borders of messages: `send` and `recv`.

use super::{Receiver, Sender, closed, handle, unexpected_length};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// Says that the sender leaves, where a socket would not tell: longer than any answer, and like no payload.
pub const GOODBYE: [u8; 16] = *b"roundtrip leaves";

/// Sends to a connected socket.
#[derive(Debug)]
pub struct DatagramSender {
    /// The socket.
    pub socket: OwnedFd,
    /// Whether to say [`GOODBYE`], because the socket does not tell that its other end is closed.
    pub says_goodbye: bool,
}

impl Sender for DatagramSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        loop {
            // Without NOSIGNAL a closed record socket would end the process before it could say why.
            match send(&self.socket, message, SendFlags::NOSIGNAL) {
                Ok(sent) if sent == message.len() => return Ok(()),
                Ok(sent) => return Err(unexpected_length(sent, message.len())),
                Err(Errno::INTR) => {}
                Err(Errno::CONNREFUSED | Errno::CONNRESET | Errno::PIPE) => return Err(closed()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn send_handle(&mut self, handle: BorrowedFd<'_>) -> io::Result<()> {
        handle::send(self.socket.as_fd(), handle, &[0])
    }
}

impl Drop for DatagramSender {
    fn drop(&mut self) {
        if self.says_goodbye {
            // An other end that is gone, or so far behind that its queue is full, is not waiting for this.
            let _ = send(&self.socket, &GOODBYE, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        }
    }
}

/// Receives from a connected socket.
#[derive(Debug)]
pub struct DatagramReceiver {
    /// The socket.
    pub socket: OwnedFd,
    /// Whether an empty message is the end of the connection, as on a record socket.
    pub empty_is_end: bool,
}

impl Receiver for DatagramReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        loop {
            match self.take(buffer) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
                Ok(length) => return self.judge(length, buffer),
            }
        }
    }

    fn set_patience(&mut self, patience: Duration) -> io::Result<()> {
        Ok(sockopt::set_socket_timeout(&self.socket, sockopt::Timeout::Recv, Some(patience))?)
    }

    #[inline]
    fn receive_soon<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        loop {
            match self.take(buffer) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error.into()),
                Ok(length) => return self.judge(length, buffer).map(Some),
            }
        }
    }

    fn receive_handle(&mut self) -> io::Result<OwnedFd> {
        handle::receive(self.socket.as_fd(), &mut [0])
    }
}

impl DatagramReceiver {
    /// Receives one message and returns its length, which may be more than has fitted.
    #[inline]
    fn take(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        // With TRUNC the kernel says how long the message was, not how much of it fitted.
        recv(&self.socket, buffer, RecvFlags::TRUNC).map(|(_, length)| length)
    }

    #[inline]
    fn judge<'a>(&self, length: usize, buffer: &'a [u8]) -> io::Result<&'a [u8]> {
        let goodbye = &GOODBYE[..GOODBYE.len().min(buffer.len())];
        if (self.empty_is_end && length == 0) || (length == GOODBYE.len() && buffer.starts_with(goodbye)) {
            return Err(closed());
        }
        if length != buffer.len() {
            return Err(unexpected_length(length, buffer.len()));
        }
        Ok(buffer)
    }
}
