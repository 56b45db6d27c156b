//! One end of the channel: strings out and in, none of which wait for each other.

use super::Format;
use super::inbox::Inbox;
use crate::sys::fork_channel::Channel;
use std::io;

pub(super) struct End<'a> {
    channel: Channel,
    format: &'a dyn Format,
    inbox: Inbox<'a>,
    /// Frames that the channel had no room for, from `sent` on.
    outgoing: Vec<u8>,
    sent: usize,
}

impl<'a> End<'a> {
    pub(super) fn new(channel: Channel, format: &'a dyn Format) -> Self {
        Self { channel, format, inbox: Inbox::new(format), outgoing: Vec::new(), sent: 0 }
    }

    /// Sends a string, or keeps what there is no room for; at once, as Node does.
    #[inline]
    pub(super) fn send(&mut self, text: &[u8]) -> io::Result<()> {
        self.format.frame(text, &mut self.outgoing);
        self.flush()
    }

    /// The next string. Until one is there, sends what was kept.
    #[inline]
    pub(super) fn receive(&mut self) -> io::Result<&[u8]> {
        while !self.inbox.has_next()? {
            match self.channel.receive(self.inbox.room())? {
                Some(0) => return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the other end is gone")),
                Some(bytes) => self.inbox.received(bytes),
                None => {
                    self.channel.wait(!self.outgoing.is_empty())?;
                    self.flush()?;
                }
            }
        }
        self.inbox.take()
    }

    /// Sends all that was kept.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        while !self.outgoing.is_empty() {
            self.channel.wait(true)?;
            self.flush()?;
        }
        Ok(())
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        while self.sent < self.outgoing.len() {
            match self.channel.send(&self.outgoing[self.sent..])? {
                0 => return Ok(()),
                sent => self.sent += sent,
            }
        }
        self.outgoing.clear();
        self.sent = 0;
        Ok(())
    }
}
