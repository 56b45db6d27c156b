//! `pidfd-getfd`: a socket pair whose receiver copies passed descriptors from the sender's process
//! (`pidfd_getfd(2)`). Other messages are those of `socketpair`.

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::{Buffers, size_socket};
use crate::link::passable::Passable;
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::link::{Link, Receiver, Sender};
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use crate::sys::{Unsupported, remote_descriptor, remote_memory};
use crate::system::{SupportedSystem, System};
use std::io;

#[derive(Debug)]
pub(crate) struct PidfdGetfd;

impl Transport for PidfdGetfd {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] = &[System::Linux.sometimes("since Linux 5.6")];
        control(
            "pidfd-getfd",
            "Socket pair, pidfd_getfd",
            "socket",
            SYSTEMS,
            "A connected pair of Unix stream sockets. A descriptor is passed as its number: the receiver copies \
             it from the sender's process, which keeps it open until then. Other messages are copied in and out.",
        )
    }

    fn passes_handles(&self, _on: System) -> bool {
        true
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| remote_descriptor::support())
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = socket::pair(Kind::Stream)?;
        Ok(Channel::from_handles([initiator], [responder]))
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        remote_memory::permit();
        let [socket] = parts.take()?;
        size_socket(&socket, channel.buffer_bytes)?;
        let buffers = Buffers::for_socket(&socket);
        let mut messages = StreamReceiver(socket.try_clone()?);
        let mut sender = StreamSender(socket);
        sender.send(&std::process::id().to_le_bytes())?;
        let mut process = [0; size_of::<u32>()];
        messages.receive(&mut process)?;
        let process = remote_descriptor::open(u32::from_le_bytes(process))?;
        Ok(Link::new(NumberSender(sender), CopyingReceiver { messages, process }, buffers))
    }
}

struct NumberSender(StreamSender);

impl Sender for NumberSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.send(message)
    }

    fn send_handle(&mut self, passed: &Passable) -> io::Result<()> {
        self.0.send(&remote_descriptor::number(passed.handle()?).to_le_bytes())
    }
}

struct CopyingReceiver {
    messages: StreamReceiver,
    /// The sender's.
    process: Handle,
}

impl Receiver for CopyingReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.messages.receive(buffer)
    }

    fn receive_handle(&mut self) -> io::Result<Passable> {
        let mut number = [0; size_of::<i32>()];
        self.messages.receive(&mut number)?;
        remote_descriptor::copy(&self.process, i32::from_le_bytes(number)).map(Passable::Handle)
    }
}
