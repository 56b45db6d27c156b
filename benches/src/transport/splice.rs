//! `splice`: pages of a memory object are put into a pipe by reference and copied out of it once (splice(2)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, vmsplice};
use crate::link::out_of_line::Lent;
use crate::link::{Link, Sender};
use crate::memory::Memory;
use crate::sys::handle::Handle;
use crate::sys::{self, Unsupported};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct Splice;

impl Transport for Splice {
    fn about(&self) -> About {
        control(
            "splice",
            "splice",
            "out-of-line",
            system::LINUX,
            "Two anonymous pipes, one each way. splice moves pages of a memfd into the pipe by reference; \
             read copies them out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        vmsplice::pipes_support(channel)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        vmsplice::Vmsplice.open(channel)
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        vmsplice::link(end, parts, |pipe, lent| ObjectSender { pipe, lent })
    }
}

struct ObjectSender {
    pipe: Handle,
    lent: Lent,
}

impl Sender for ObjectSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let located = self.lent.locate(message)?;
        let object = located.object.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut offset = located.offset as u64;
        let end = offset + message.len() as u64;
        while offset < end {
            let rest = usize::try_from(end - offset).map_err(io::Error::other)?;
            sys::splice::object(&self.pipe, object, &mut offset, rest)?;
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
