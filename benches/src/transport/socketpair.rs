//! `socketpair`: a connected pair of Unix stream sockets (socketpair(2), unix(7)).

use super::{Channel, ChannelSpec, End, Parts, Transport};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_socket};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use crate::system::{self, Home, System};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;

/// See the module.
#[derive(Debug)]
pub struct Socketpair;

impl Transport for Socketpair {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("socketpair"),
            title: "Socket pair".into(),
            family: Slug::from_name("socket"),
            semantics: "A connected pair of Unix stream sockets. \
                        A message is copied into the kernel by write and out of it by read."
                .into(),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        system::UNIX
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
        Ok(Channel { initiator: Parts::of([initiator]), responder: Parts::of([responder]), folder: None })
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        stream_socket(socket, channel)
    }
}

/// The link over a connected stream socket, its buffers sized as asked.
pub(super) fn stream_socket(socket: Handle, channel: &ChannelSpec) -> io::Result<Link> {
    size_socket(&socket, channel.buffer_bytes)?;
    let buffers = Buffers::of_socket(&socket);
    let reader = socket.try_clone()?;
    Ok(Link::new(StreamSender(socket), StreamReceiver(reader), buffers))
}
