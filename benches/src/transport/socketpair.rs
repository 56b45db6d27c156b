//! `socketpair`: a connected pair of Unix stream sockets (socketpair(2), unix(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_socket};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use crate::system::{self, System};
use std::io;

#[derive(Debug)]
pub(crate) struct Socketpair;

impl Transport for Socketpair {
    fn about(&self) -> About {
        control(
            "socketpair",
            "Socket pair",
            "socket",
            system::UNIX,
            "A connected pair of Unix stream sockets. write copies in, read copies out.",
        )
    }

    fn passes_handles(&self, _on: System) -> bool {
        true
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty()?;
        socket::pair(Kind::Stream).map(drop).map_err(|error| Unsupported::because(error.to_string()))
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = socket::pair(Kind::Stream)?;
        Ok(Channel::from_handles([initiator], [responder]))
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        stream_socket(socket, channel)
    }
}

/// The link over a connected stream socket, with the requested buffer sizes.
pub(super) fn stream_socket(socket: Handle, channel: &ChannelSpec) -> io::Result<Link> {
    size_socket(&socket, channel.buffer_bytes)?;
    let buffers = Buffers::for_socket(&socket);
    let reader = socket.try_clone()?;
    Ok(Link::new(StreamSender(socket), StreamReceiver(reader), buffers))
}
