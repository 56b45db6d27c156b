//! Bytes over descriptors: `write` until all is written, `read` until all is read.

use super::{Receiver, Sender, closed, handle};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Writes to a descriptor.
#[derive(Debug)]
pub struct StreamSender(pub OwnedFd);

impl Sender for StreamSender {
    #[inline]
    fn send(&mut self, mut message: &[u8]) -> io::Result<()> {
        while !message.is_empty() {
            match rustix::io::write(&self.0, message) {
                Ok(written) => message = &message[written..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn send_handle(&mut self, handle: BorrowedFd<'_>) -> io::Result<()> {
        handle::send(self.0.as_fd(), handle, &[0])
    }
}

/// Reads from a descriptor.
#[derive(Debug)]
pub struct StreamReceiver(pub OwnedFd);

impl Receiver for StreamReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let mut filled = 0;
        while filled < buffer.len() {
            match rustix::io::read(&self.0, &mut buffer[filled..]) {
                Ok(0) => return Err(closed()),
                Ok(read) => filled += read,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(buffer)
    }

    fn receive_handle(&mut self) -> io::Result<OwnedFd> {
        handle::receive(self.0.as_fd(), &mut [0])
    }
}
