//! `anonymous-pipe`: two pipes of Windows without a name, one each way (`CreatePipe`).

use super::{Channel, ChannelSpec, End, Parts, Transport};
use crate::link::Link;
use crate::link::buffers::Buffers;
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::sys::{Unsupported, named_pipe};
use crate::system::{self, Home};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;

/// See the module.
#[derive(Debug)]
pub struct AnonymousPipe;

impl Transport for AnonymousPipe {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("anonymous-pipe"),
            title: "Anonymous pipe".into(),
            family: Slug::from_name("pipe"),
            semantics:
                "Two pipes of CreatePipe, one each way, of the system's size unless asked for another. \
                        A message is copied into the kernel by WriteFile and out of it by ReadFile."
                    .into(),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        system::WINDOWS
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        named_pipe::support().and_then(|()| channel.not_empty())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (there_reader, there_writer) = named_pipe::anonymous(channel.buffer_bytes)?;
        let (back_reader, back_writer) = named_pipe::anonymous(channel.buffer_bytes)?;
        Ok(Channel {
            initiator: Parts::of([there_writer, back_reader]),
            responder: Parts::of([back_writer, there_reader]),
            folder: None,
        })
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [writer, reader] = parts.take()?;
        let buffers = Buffers::of_pipes(&writer, &reader);
        Ok(Link::new(StreamSender(writer), StreamReceiver(reader), buffers))
    }
}
