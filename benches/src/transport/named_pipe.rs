//! `named-pipe`: a named duplex pipe on Windows (`CreateNamedPipeW`), for bytes, with blocking calls; and
//! [`NamedPipeTransport`], shared with its variants.

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::{Link, named_pipe as link};
use crate::sys::Unsupported;
use crate::sys::named_pipe::{self, Pipe, Settings};
use crate::system::{self, System};
use std::io;

pub(crate) static NAMED_PIPE: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe",
    title: "Named pipe",
    about: "Byte mode: blocking WriteFile and ReadFile.",
    messages: false,
    overlapped: false,
    transacts: false,
};

#[derive(Debug)]
pub(crate) struct NamedPipeTransport {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) messages: bool,
    /// Whether calls wait at a completion port.
    pub(crate) overlapped: bool,
    /// Whether a question is sent and its answer awaited in one call.
    pub(crate) transacts: bool,
}

impl NamedPipeTransport {
    fn settings(&self, channel: &ChannelSpec) -> Settings {
        let Self { messages, overlapped, .. } = *self;
        Settings { messages, overlapped, buffer_bytes: channel.buffer_bytes }
    }
}

impl Transport for NamedPipeTransport {
    fn about(&self) -> About {
        control(
            self.slug,
            self.title,
            "pipe",
            system::WINDOWS,
            &format!("A duplex pipe (CreateNamedPipe), 64 KiB each way by default. {}", self.about),
        )
    }

    fn only_asks(&self) -> bool {
        self.transacts
    }

    fn passes_handles(&self, _on: System) -> bool {
        true
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        named_pipe::support().and_then(|()| channel.not_empty())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (server, name) = named_pipe::create(self.settings(channel))?;
        Ok(Channel {
            initiator: Parts::at(name),
            responder: Parts::from_handles([server]),
            folder: None,
            objects: None,
        })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let settings = self.settings(channel);
        match end {
            End::Initiator => link::link(Pipe::connect(parts.address()?, settings)?, self.transacts),
            End::Responder => {
                let [server] = parts.take()?;
                link::link(Pipe::accept(server, settings)?, false)
            }
        }
    }
}
