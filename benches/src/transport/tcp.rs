//! `tcp`: a TCP connection over the loopback interface, without Nagle's delay (tcp(7), `TCP_NODELAY`).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, socketpair};
use crate::link::Link;
use crate::sys::handle::Handle;
use crate::sys::{Unsupported, socket};
use crate::system;
use socket2::Socket;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

#[derive(Debug)]
pub(crate) struct Tcp;

impl Transport for Tcp {
    fn about(&self) -> About {
        control(
            "tcp",
            "TCP loopback",
            "socket",
            system::EVERY,
            "A TCP connection over 127.0.0.1 with TCP_NODELAY. write copies in, read copies out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty()
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?.to_string();
        Ok(Channel {
            initiator: Parts::at(address),
            responder: Parts::from_handles([listener.into()]),
            folder: None,
            objects: None,
        })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        socketpair::stream_socket(connected(end, parts)?, channel)
    }
}

/// The connected socket of this end.
pub(super) fn connected(end: End, parts: Parts) -> io::Result<Handle> {
    let stream: Socket = match end {
        End::Initiator => TcpStream::connect(parts.address()?)?.into(),
        End::Responder => {
            let [listener] = parts.take()?;
            socket::from_handle(listener)?.accept()?.0
        }
    };
    stream.set_tcp_nodelay(true)?;
    Ok(stream.into())
}
