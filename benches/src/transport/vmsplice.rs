//! `vmsplice`: pages of the sender are put into a pipe by reference and copied out of it once (vmsplice(2)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, pipe};
use crate::link::buffers::Buffers;
use crate::link::out_of_line::{self, Lent, ReturningReceiver, Returns};
use crate::link::stream::StreamReceiver;
use crate::link::{Link, Sender};
use crate::memory::Memory;
use crate::sys::handle::Handle;
use crate::sys::{Unsupported, splice, wake};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct Vmsplice;

impl Transport for Vmsplice {
    fn about(&self) -> About {
        control(
            "vmsplice",
            "vmsplice",
            "out-of-line",
            system::LINUX,
            "Two anonymous pipes, one each way. vmsplice moves the sender's pages into the pipe by \
             reference; read copies them out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        pipes_support(channel).and_then(|()| splice::memory_support())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let [(initiator_writer, initiator_reader), (responder_writer, responder_reader)] =
            pipe::pipes(channel)?;
        let page = out_of_line::page()?;
        Ok(Channel::from_handles(
            [initiator_writer, initiator_reader, page.try_clone()?],
            [responder_writer, responder_reader, page],
        ))
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        link(end, parts, |pipe, lent| PageSender { pipe, lent })
    }
}

/// Checks that this system has these pipes, independent of the call that puts pages into them.
pub(super) fn pipes_support(channel: &ChannelSpec) -> Result<(), Unsupported> {
    channel.not_empty().and_then(|()| channel.pipe_buffer())?;
    splice::support().and_then(|()| wake::support())
}

/// The link over pipes whose sender passes its pages, and whose receiver copies.
pub(super) fn link<S: Sender + 'static>(
    end: End,
    parts: Parts,
    sender: impl FnOnce(Handle, Lent) -> S,
) -> io::Result<Link> {
    let [writer, reader, page] = parts.take()?;
    let returns = Returns::new(&page, end == End::Initiator)?;
    let buffers = Buffers::for_pipes(&writer, &reader);
    Ok(Link::new(
        sender(writer, Lent::new(returns.clone())),
        ReturningReceiver::new(StreamReceiver(reader), returns),
        buffers,
    ))
}

struct PageSender {
    pipe: Handle,
    lent: Lent,
}

impl Sender for PageSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let mut rest = self.lent.locate(message)?.bytes;
        while !rest.is_empty() {
            let passed = splice::memory(&self.pipe, rest)?;
            rest = &rest[passed..];
        }
        Ok(())
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        self.lent.allocate_shared(bytes)
    }

    fn reclaim(&mut self) -> io::Result<()> {
        self.lent.reclaim()
    }
}
