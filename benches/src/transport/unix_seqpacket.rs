//! `unix-seqpacket`: a connected pair of Unix record sockets (`SOCK_SEQPACKET`, unix(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_socket};
use crate::link::datagram::{DatagramReceiver, DatagramSender};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use crate::system::{SupportedSystem, System};
use std::io;

#[derive(Debug)]
pub(crate) struct UnixSeqpacket;

impl Transport for UnixSeqpacket {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] = &[System::FreeBsd.always(), System::Linux.always()];
        control(
            "unix-seqpacket",
            "Unix record socket",
            "socket",
            SYSTEMS,
            "A connected pair of Unix SOCK_SEQPACKET sockets. One send and recv per message, which must fit \
             the send buffer; copied in and out.",
        )
    }

    fn passes_handles(&self, _on: System) -> bool {
        true
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| carries(Kind::Record, channel))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = pair(Kind::Record, channel)?;
        Ok(Channel::from_handles([initiator], [responder]))
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        link(socket, Kind::Record)
    }
}

/// A connected pair of Unix sockets of this type, with the requested buffer sizes.
pub(super) fn pair(kind: Kind, channel: &ChannelSpec) -> io::Result<(Handle, Handle)> {
    let (initiator, responder) = socket::pair(kind)?;
    size_socket(&initiator, channel.buffer_bytes)?;
    size_socket(&responder, channel.buffer_bytes)?;
    Ok((initiator, responder))
}

/// Checks that this pair carries a message of this length, by sending one.
pub(super) fn carries(kind: Kind, channel: &ChannelSpec) -> Result<(), Unsupported> {
    let failed = |error: io::Error| Unsupported::because(format!("Unix sockets of this type: {error}"));
    let (sender, _receiver) = pair(kind, channel).map_err(failed)?;
    let message = vec![0; channel.message_bytes];
    let refused = |why: &dyn std::fmt::Display| {
        Unsupported::because(format!(
            "message of {} B rejected ({why}): it must fit the send buffer of {} B",
            message.len(),
            Buffers::for_socket(&sender).send_bytes.unwrap_or(0)
        ))
    };
    match socket::try_send(&sender, &message) {
        Ok(sent) if sent == message.len() => Ok(()),
        Ok(sent) => Err(refused(&format_args!("only {sent} B were sent"))),
        Err(error) => Err(refused(&error)),
    }
}

/// The link over a connected socket that keeps message boundaries.
pub(super) fn link(socket: Handle, kind: Kind) -> io::Result<Link> {
    let buffers = Buffers::for_socket(&socket);
    let reader = socket.try_clone()?;
    Ok(Link::new(DatagramSender { socket, kind }, DatagramReceiver { socket: reader, kind }, buffers))
}
