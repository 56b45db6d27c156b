//! [`Link`]: one end of an open channel, and its form over file descriptors.

use std::io;
use std::os::fd::OwnedFd;

/// One end of a channel in both directions. What it sends arrives whole and in order at the other end.
pub trait Link: Send {
    /// Sends all of a message, waiting while the channel is full.
    ///
    /// # Errors
    /// When the other end is gone, or of the system.
    fn send(&mut self, message: &[u8]) -> io::Result<()>;

    /// Receives exactly as much as fits the buffer, waiting for it.
    ///
    /// # Errors
    /// `UnexpectedEof` when the other end is gone, or of the system.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<()>;
}

/// A byte stream over file descriptors: one to write, one to read; the same twice for a socket.
#[derive(Debug)]
pub struct StreamLink {
    /// Where to write.
    pub writer: OwnedFd,
    /// Where to read.
    pub reader: OwnedFd,
}

impl Link for StreamLink {
    #[inline]
    fn send(&mut self, mut message: &[u8]) -> io::Result<()> {
        while !message.is_empty() {
            match rustix::io::write(&self.writer, message) {
                Ok(written) => message = &message[written..],
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    #[inline]
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < buffer.len() {
            match rustix::io::read(&self.reader, &mut buffer[filled..]) {
                Ok(0) => return Err(closed()),
                Ok(read) => filled += read,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// The error of a channel whose other end is gone.
pub fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the other end closed the channel")
}
