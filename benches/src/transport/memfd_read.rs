//! `memfd-read`: memory passed as a descriptor over a Unix socket, mapped, and one byte of every page read
//! (`memfd_create(2)`, `SCM_RIGHTS`, mmap(2)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, unix_seqpacket};
use crate::link::buffers::Buffers;
use crate::link::out_of_line::{self, Returns};
use crate::link::{Link, memfd};
use crate::sys::socket::Kind;
use crate::sys::{Unsupported, wake};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct MemfdRead;

impl Transport for MemfdRead {
    fn about(&self) -> About {
        control(
            "memfd-read",
            "memfd, every page read",
            "out-of-line",
            system::LINUX,
            "Like memfd-remap, but the receiver reads one byte of each page.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| channel.default_buffer())?;
        wake::support()
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = unix_seqpacket::pair(Kind::Record, channel)?;
        let page = out_of_line::page()?;
        Ok(Channel::from_handles([initiator, page.try_clone()?], [responder, page]))
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        link(end, parts, true)
    }
}

/// The link over memory objects; `reads_every_page`: whether receiving reads each page.
pub(super) fn link(end: End, parts: Parts, reads_every_page: bool) -> io::Result<Link> {
    let [socket, page] = parts.take()?;
    let returns = Returns::new(&page, end == End::Initiator)?;
    let (sender, receiver) = memfd::halves(socket, returns, reads_every_page)?;
    Ok(Link::new(sender, receiver, Buffers::default()))
}
