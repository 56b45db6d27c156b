//! `pipe`: two anonymous pipes, one per direction (pipe(2)), with the system's default size or a requested one
//! (`F_SETPIPE_SZ`).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_pipe};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::sys::handle::Handle;
use crate::sys::{self, Unsupported};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct Pipe;

impl Transport for Pipe {
    fn about(&self) -> About {
        control(
            "pipe",
            "Pipe",
            "pipe",
            system::UNIX,
            "Two anonymous pipes, one each way. write copies in, read copies out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        sys::pipe::support().and_then(|()| channel.not_empty()).and_then(|()| channel.pipe_buffer())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let [(initiator_writer, initiator_reader), (responder_writer, responder_reader)] = pipes(channel)?;
        Ok(Channel::from_handles([initiator_writer, initiator_reader], [responder_writer, responder_reader]))
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [writer, reader] = parts.take()?;
        let buffers = Buffers::for_pipes(&writer, &reader);
        Ok(Link::new(StreamSender(writer), StreamReceiver(reader), buffers))
    }
}

/// Writer and reader of the initiator and of the responder.
pub(super) fn pipes(channel: &ChannelSpec) -> io::Result<[(Handle, Handle); 2]> {
    let (there_reader, there_writer) = sys::pipe::pair()?;
    let (back_reader, back_writer) = sys::pipe::pair()?;
    size_pipe(&there_writer, channel.buffer_bytes)?;
    size_pipe(&back_writer, channel.buffer_bytes)?;
    Ok([(there_writer, back_reader), (back_writer, there_reader)])
}
