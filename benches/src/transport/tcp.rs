//! `tcp`: a TCP connection over the loopback interface, without Nagle's delay (tcp(7), `TCP_NODELAY`).

use super::{Channel, ChannelSpec, End, Parts, Transport, socketpair};
use crate::link::Link;
use crate::sys::{Unsupported, socket};
use crate::system::{self, Home};
use roundtrip_wire::{Slug, TransportInfo};
use socket2::Socket;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// See the module.
#[derive(Debug)]
pub struct Tcp;

impl Transport for Tcp {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("tcp"),
            title: "TCP loopback".into(),
            family: Slug::from_name("socket"),
            semantics: "A TCP connection over 127.0.0.1 with TCP_NODELAY. \
                        A message is copied into the kernel by write and out of it by read."
                .into(),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        system::EVERY
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty()
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?.to_string();
        Ok(Channel { initiator: Parts::at(address), responder: Parts::of([listener.into()]), folder: None })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let stream: Socket = match end {
            End::Initiator => TcpStream::connect(parts.address()?)?.into(),
            End::Responder => {
                let [listener] = parts.take()?;
                socket::of(listener)?.accept()?.0
            }
        };
        stream.set_tcp_nodelay(true)?;
        socketpair::stream_socket(stream.into(), channel)
    }
}
