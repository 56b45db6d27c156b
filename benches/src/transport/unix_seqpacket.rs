//! `unix-seqpacket`: a connected pair of Unix record sockets (`SOCK_SEQPACKET`, unix(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_socket};
use crate::link::datagram::{DatagramReceiver, DatagramSender};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use crate::system::{Home, System};
use std::io;

#[derive(Debug)]
pub(crate) struct UnixSeqpacket;

impl Transport for UnixSeqpacket {
    fn about(&self) -> About {
        const SYSTEMS: &[Home] = &[System::FreeBsd.always(), System::Linux.always()];
        control(
            "unix-seqpacket",
            "Unix record socket",
            "socket",
            SYSTEMS,
            "A connected pair of Unix SOCK_SEQPACKET sockets: one message is one send and one recv, and \
             must fit the send buffer. It is copied into the kernel and out of it.",
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
        Ok(Channel::of([initiator], [responder]))
    }

    fn connect(&self, _end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        link(socket, Kind::Record)
    }
}

/// A connected pair of Unix sockets of this type, sized as asked.
pub(super) fn pair(kind: Kind, channel: &ChannelSpec) -> io::Result<(Handle, Handle)> {
    let (initiator, responder) = socket::pair(kind)?;
    size_socket(&initiator, channel.buffer_bytes)?;
    size_socket(&responder, channel.buffer_bytes)?;
    Ok((initiator, responder))
}

/// Whether such a pair carries a message of this length: the kernel is asked, by sending one.
pub(super) fn carries(kind: Kind, channel: &ChannelSpec) -> Result<(), Unsupported> {
    let failed = |error: io::Error| Unsupported::because(format!("Unix sockets of this type: {error}"));
    let (sender, _receiver) = pair(kind, channel).map_err(failed)?;
    let message = vec![0; channel.message_bytes];
    let refused = |why: &dyn std::fmt::Display| {
        Unsupported::because(format!(
            "a message of {} B is refused ({why}): it must fit the send buffer of {} B",
            message.len(),
            Buffers::of_socket(&sender).send_bytes.unwrap_or(0)
        ))
    };
    match socket::try_send(&sender, &message) {
        Ok(sent) if sent == message.len() => Ok(()),
        Ok(sent) => Err(refused(&format_args!("{sent} B were taken"))),
        Err(error) => Err(refused(&error)),
    }
}

/// The link over a connected socket that keeps the borders of messages.
pub(super) fn link(socket: Handle, kind: Kind) -> io::Result<Link> {
    let buffers = Buffers::of_socket(&socket);
    let reader = socket.try_clone()?;
    Ok(Link::new(DatagramSender { socket, kind }, DatagramReceiver { socket: reader, kind }, buffers))
}
