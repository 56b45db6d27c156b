//! `vsock`: a connection of the sockets between a virtual machine and its host, to this machine itself (vsock(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::Buffers;
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::sys::handle::Handle;
use crate::sys::{Unsupported, socket, vsock};
use crate::system::{SupportedSystem, System};
use std::io;

#[derive(Debug)]
pub(crate) struct Vsock;

impl Transport for Vsock {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] = &[System::Linux.sometimes("with `vsock_loopback`")];
        control(
            "vsock",
            "vsock loopback",
            "socket",
            SYSTEMS,
            "A stream connection over AF_VSOCK to VMADDR_CID_LOCAL: the sockets between a virtual machine and its \
             host, without either. write copies in, read copies out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty()?;
        if channel.buffer_bytes.is_some() {
            return Err(Unsupported::because(
                "vsock has no buffers of SO_SNDBUF and SO_RCVBUF: remove buffer_bytes",
            ));
        }
        vsock::support()
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let (listener, port) = vsock::listen()?;
        Ok(Channel {
            initiator: Parts::at(port.to_string()),
            responder: Parts::from_handles([listener]),
            folder: None,
            objects: None,
        })
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let socket: Handle = match end {
            End::Initiator => vsock::connect(parts.address()?.parse().map_err(io::Error::other)?)?,
            End::Responder => {
                let [listener] = parts.take()?;
                socket::from_handle(listener)?.accept()?.0.into()
            }
        };
        let reader = socket.try_clone()?;
        Ok(Link::new(StreamSender(socket), StreamReceiver(reader), Buffers::default()))
    }
}
