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
use crate::transport::{Channel, ChannelSpec, End, Parts, Transport};
use roundtrip_wire::{Slug, TransportInfo};
use std::io::{self, ErrorKind};

/// The transport `pipe`, with such a receiver.
#[derive(Debug)]
pub struct ReadyPipe {
    /// Its name.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// How the receiver waits ([`readiness::support`]).
    pub mechanism: &'static str,
    /// The call that does it.
    pub call: &'static str,
    /// Where there is such a call.
    pub systems: &'static [Home],
}

impl Transport for ReadyPipe {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name(self.slug),
            title: self.title.into(),
            family: Slug::from_name("pipe"),
            semantics: format!(
                "Two anonymous pipes, one each way. A message is copied into the kernel by write; the receiver waits in \
                 {} until there is something to read, level-triggered, and copies it out by a read that does not wait: \
                 two calls for a message that has come whole, two more for each further part.",
                self.call
            ),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        self.systems
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
pub struct ReadyReceiver {
    stream: Handle,
    readiness: Readiness,
}

impl ReadyReceiver {
    /// Over a pipe or a stream socket.
    pub fn new(stream: Handle) -> io::Result<Self> {
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
