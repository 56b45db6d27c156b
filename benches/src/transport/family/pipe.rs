//! A pipe whose receiver waits in an event loop's call first, and then reads without waiting: as a receiver, and as a
//! transport with one mechanism to wait.

use crate::link::buffers::Buffers;
use crate::link::stream::StreamSender;
use crate::link::{Link, Receiver, closed};
use crate::sys::handle::Handle;
use crate::sys::readiness::{self, Readiness};
use crate::sys::{Unsupported, stream};
use crate::system::Home;
use crate::transport::pipe::Pipe;
use crate::transport::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use std::io::{self, ErrorKind};

/// The transport `pipe`, with such a receiver.
#[derive(Debug)]
pub(crate) struct ReadyPipe {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    /// How the receiver waits ([`readiness::support`]).
    pub(crate) mechanism: &'static str,
    pub(crate) call: &'static str,
    pub(crate) systems: &'static [Home],
}

impl Transport for ReadyPipe {
    fn about(&self) -> About {
        control(
            self.slug,
            self.title,
            "pipe",
            self.systems,
            &format!(
                "Two anonymous pipes, one each way. A message is copied into the kernel by write; the receiver waits in \
                 {} until there is something to read, level-triggered, and copies it out by a read that does not wait: \
                 two calls for a message that has come whole, two more for each further part.",
                self.call
            ),
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        readiness::support(self.mechanism).and_then(|()| Pipe.support(channel))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        Pipe.open(channel)
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [writer, reader] = parts.take()?;
        let buffers = Buffers::of_pipes(&writer, &reader);
        Ok(Link::new(StreamSender(writer), ReadyReceiver::new(reader)?, buffers))
    }
}

/// Waits, reads, and waits again for what is missing.
#[derive(Debug)]
pub(crate) struct ReadyReceiver {
    stream: Handle,
    readiness: Readiness,
}

impl ReadyReceiver {
    fn new(stream: Handle) -> io::Result<Self> {
        let readiness = Readiness::of(&stream)?;
        Ok(Self { stream, readiness })
    }
}

impl Receiver for ReadyReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let mut filled = 0;
        while filled < buffer.len() {
            self.readiness.wait()?;
            match stream::read(&self.stream, &mut buffer[filled..]) {
                Ok(0) => return Err(closed()),
                Ok(read) => filled += read,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(buffer)
    }
}
