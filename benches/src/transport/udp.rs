//! `udp`: two UDP sockets on the loopback interface, connected to each other (udp(7)). A receiver whose buffer is full
//! loses messages without notice.

use super::{About, Channel, ChannelSpec, End, Manner, OnFull, Parts, Transport, control, unix_seqpacket};
use crate::link::Link;
use crate::link::buffers::size_socket;
use crate::sys::Unsupported;
use crate::sys::socket::{self, Kind};
use crate::system;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};

#[derive(Debug)]
pub(crate) struct Udp;

/// The longest datagram: 65,535 B (RFC 768) less the headers of IPv4 and UDP.
const MESSAGE_BYTES_MAX: usize = 65_507;

impl Transport for Udp {
    fn about(&self) -> About {
        control(
            "udp",
            "UDP loopback",
            "socket",
            system::EVERY,
            "Two connected UDP sockets over 127.0.0.1. One datagram per message; send copies in, recv \
             copies out. Datagrams that overflow the receive buffer are lost.",
        )
    }

    fn manner(&self) -> Manner {
        Manner { on_full: OnFull::Drop, ..Manner::default() }
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        if channel.message_bytes <= MESSAGE_BYTES_MAX {
            return Ok(());
        }
        Err(Unsupported::because(format!(
            "message of {} B exceeds the datagram limit, {MESSAGE_BYTES_MAX} B",
            channel.message_bytes
        )))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let [initiator, responder] = [bind(channel)?, bind(channel)?];
        initiator.connect(responder.local_addr()?)?;
        responder.connect(initiator.local_addr()?)?;
        Ok(Channel::from_handles([initiator.into()], [responder.into()]))
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        unix_seqpacket::link(socket, Kind::Datagram)
    }
}

fn bind(channel: &ChannelSpec) -> io::Result<UdpSocket> {
    let bound = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let handle = bound.try_clone()?.into();
    size_socket(&handle, channel.buffer_bytes)?;
    socket::hold_message(&handle, channel.message_bytes)?;
    Ok(bound)
}
