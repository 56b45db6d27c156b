//! `unix-dgram`: a connected pair of Unix datagram sockets (`SOCK_DGRAM`, unix(7)). They are reliable: [`socket::FULL`]
//! describes a full receiver.

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, unix_seqpacket};
use crate::link::Link;
use crate::sys::Unsupported;
use crate::sys::socket::{self, Kind};
use crate::system::{self, System};
use std::io;

#[derive(Debug)]
pub(crate) struct UnixDgram;

impl Transport for UnixDgram {
    fn about(&self) -> About {
        control(
            "unix-dgram",
            "Unix datagram socket",
            "socket",
            system::UNIX,
            &format!(
                "A connected pair of Unix SOCK_DGRAM sockets, lossless. One send and recv per message, \
                 which must fit the send buffer; copied in and out. {}",
                socket::FULL
            ),
        )
    }

    fn passes_handles(&self, _on: System) -> bool {
        true
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        unix_seqpacket::carries(Kind::Datagram, channel)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = unix_seqpacket::pair(Kind::Datagram, channel)?;
        Ok(Channel::from_handles([initiator], [responder]))
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        unix_seqpacket::link(socket, Kind::Datagram)
    }
}
