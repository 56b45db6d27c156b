//! `unix-dgram`: a connected pair of Unix datagram sockets (`SOCK_DGRAM`, unix(7)). They are reliable: what
//! happens when the receiver's queue is full is [`socket::FULL`].

use super::{Channel, ChannelSpec, End, Parts, Transport, unix_seqpacket};
use crate::link::Link;
use crate::sys::Unsupported;
use crate::sys::socket::{self, Kind};
use crate::system::{self, Home, System};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;

/// See the module.
#[derive(Debug)]
pub struct UnixDgram;

impl Transport for UnixDgram {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("unix-dgram"),
            title: "Unix datagram socket".into(),
            family: Slug::from_name("socket"),
            semantics: format!(
                "A connected pair of Unix SOCK_DGRAM sockets: one message is one send and one recv, and must fit the \
                 send buffer. It is copied into the kernel and out of it; nothing is lost. {}",
                socket::FULL
            ),
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
        unix_seqpacket::carries(Kind::Datagram, channel)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = unix_seqpacket::pair(Kind::Datagram, channel)?;
        Ok(Channel { initiator: Parts::of([initiator]), responder: Parts::of([responder]), folder: None })
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        unix_seqpacket::link(socket, Kind::Datagram)
    }
}
