//! Bytes over handles: loops until all is written or read.

use super::passable::Passable;
use super::{Receiver, Sender, closed, handle};
use crate::sys::handle::Handle;
use crate::sys::stream;
use std::io::{self, ErrorKind};

#[derive(Debug)]
pub(crate) struct StreamSender(pub Handle);

impl Sender for StreamSender {
    #[inline]
    fn send(&mut self, mut message: &[u8]) -> io::Result<()> {
        while !message.is_empty() {
            match stream::write(&self.0, message) {
                Ok(written) => message = &message[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send_handle(&mut self, passed: &Passable) -> io::Result<()> {
        handle::send(&self.0, passed)
    }
}

#[derive(Debug)]
pub(crate) struct StreamReceiver(pub Handle);

impl Receiver for StreamReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let mut filled = 0;
        while filled < buffer.len() {
            match stream::read(&self.0, &mut buffer[filled..]) {
                Ok(0) => return Err(closed()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(buffer)
    }

    fn receive_handle(&mut self) -> io::Result<Passable> {
        handle::receive(&self.0)
    }
}
