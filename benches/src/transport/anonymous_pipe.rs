//! `anonymous-pipe`: two anonymous Windows pipes, one per direction (`CreatePipe`).

use super::pipe::Pipe;
use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::sys::{Unsupported, named_pipe};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct AnonymousPipe;

impl Transport for AnonymousPipe {
    fn about(&self) -> About {
        control(
            "anonymous-pipe",
            "Anonymous pipe",
            "pipe",
            system::WINDOWS,
            "Two pipes (CreatePipe), one each way, with the system's buffer size by default. WriteFile \
             copies in, ReadFile copies out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        named_pipe::support().and_then(|()| channel.not_empty())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (there_reader, there_writer) = named_pipe::anonymous(channel.buffer_bytes)?;
        let (back_reader, back_writer) = named_pipe::anonymous(channel.buffer_bytes)?;
        Ok(Channel::from_handles([there_writer, back_reader], [back_writer, there_reader]))
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        Pipe.connect(end, parts, channel)
    }
}
