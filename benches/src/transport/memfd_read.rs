//! `memfd-read`: memory passed as a descriptor over a Unix socket, mapped, and one byte of every page read (`memfd_create(2)`,
//! `SCM_RIGHTS`, mmap(2)).

use super::{Channel, ChannelSpec, End, Parts, Transport, unix_seqpacket};
use crate::link::buffers::Buffers;
use crate::link::out_of_line::{self, Returns};
use crate::link::{Link, memfd};
use crate::sys::socket::Kind;
use crate::sys::{Unsupported, shared_memory, wake};
use crate::system::{self, Home};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;

/// See the module.
#[derive(Debug)]
pub struct MemfdRead;

impl Transport for MemfdRead {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("memfd-read"),
            title: "memfd, every page read".into(),
            family: Slug::from_name("out-of-line"),
            semantics: "The message lies in a memfd; its descriptor is passed over a Unix record socket (SCM_RIGHTS), and the receiver \
                        maps it, reads one byte of every page, and unmaps it when done. Nothing is copied."
                .into(),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        system::LINUX
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| channel.default_buffer())?;
        shared_memory::support().and_then(|()| wake::support())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = unix_seqpacket::pair(Kind::Record, channel)?;
        let page = out_of_line::page()?;
        Ok(Channel {
            initiator: Parts::of([initiator, page.try_clone()?]),
            responder: Parts::of([responder, page]),
            folder: None,
        })
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        link(end, parts, true)
    }
}

/// The link over memory objects; `reads_every_page`: whether receiving looks at them.
pub(super) fn link(end: End, parts: Parts, reads_every_page: bool) -> io::Result<Link> {
    let [socket, page] = parts.take()?;
    let returns = Returns::new(&page, end == End::Initiator)?;
    let (sender, receiver) = memfd::halves(socket, returns, reads_every_page)?;
    Ok(Link::new(sender, receiver, Buffers::default()))
}
