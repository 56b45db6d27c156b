//! A pipe whose receiver first waits in an event loop's call, then reads without blocking: as a receiver, and as a
//! transport with a given wait mechanism.

use crate::link::buffers::Buffers;
use crate::link::stream::StreamSender;
use crate::link::{Link, Receiver, closed};
use crate::sys::handle::Handle;
use crate::sys::readiness::{self, Readiness};
use crate::sys::{Unsupported, stream};
use crate::system::SupportedSystem;
use crate::transport::pipe::Pipe;
use crate::transport::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use std::io::{self, ErrorKind};

/// The transport `pipe`, with this receiver.
#[derive(Debug)]
pub(crate) struct ReadyPipe {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    /// The receiver's wait mechanism ([`readiness::support`]).
    pub(crate) mechanism: &'static str,
    pub(crate) call: &'static str,
    pub(crate) systems: &'static [SupportedSystem],
}

impl Transport for ReadyPipe {
    fn about(&self) -> About {
        control(
            self.slug,
            self.title,
            "pipe",
            self.systems,
            &format!(
                "Like pipe, but the receiver waits in {} (level-triggered), then reads without blocking: \
                 two calls per message, two more for each further part.",
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
        let buffers = Buffers::for_pipes(&writer, &reader);
        Ok(Link::new(StreamSender(writer), ReadyReceiver::new(reader)?, buffers))
    }
}

/// Waits, reads, and waits again for the rest.
#[derive(Debug)]
pub(crate) struct ReadyReceiver {
    stream: Handle,
    readiness: Readiness,
}

impl ReadyReceiver {
    fn new(stream: Handle) -> io::Result<Self> {
        let readiness = Readiness::new(&stream)?;
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
