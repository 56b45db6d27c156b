//! `udp`: two UDP sockets on the loopback interface, connected to each other (udp(7)). A receiver whose buffer is full
//! loses what comes, and nobody is told.

use super::{Channel, ChannelSpec, End, Manner, OnFull, Parts, Transport, unix_seqpacket};
use crate::link::Link;
use crate::link::buffers::size_socket;
use crate::sys::Unsupported;
use crate::sys::socket::{self, Kind};
use crate::system::{self, Home};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};

/// See the module.
#[derive(Debug)]
pub struct Udp;

/// The longest datagram: 65,535 B (RFC 768) less the headers of IPv4 and UDP.
const MESSAGE_BYTES_MAX: usize = 65_507;

impl Transport for Udp {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("udp"),
            title: "UDP loopback".into(),
            family: Slug::from_name("socket"),
            semantics: "Two UDP sockets over 127.0.0.1, connected to each other: one message is one datagram, copied \
                        into the kernel by send and out of it by recv. What a full receiver cannot hold is lost."
                .into(),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        system::EVERY
    }

    fn manner(&self) -> Manner {
        Manner { on_full: OnFull::Drop, ..Manner::default() }
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        if channel.message_bytes <= MESSAGE_BYTES_MAX {
            return Ok(());
        }
        Err(Unsupported::because(format!(
            "a message of {} B is longer than a datagram: at most {MESSAGE_BYTES_MAX} B",
            channel.message_bytes
        )))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let [initiator, responder] = [bind(channel)?, bind(channel)?];
        initiator.connect(responder.local_addr()?)?;
        responder.connect(initiator.local_addr()?)?;
        Ok(Channel {
            initiator: Parts::of([initiator.into()]),
            responder: Parts::of([responder.into()]),
            folder: None,
        })
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
