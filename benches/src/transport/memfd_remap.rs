//! `memfd-remap`: memory passed as a descriptor over a Unix socket and mapped, but not looked at (`memfd_create(2)`, `SCM_RIGHTS`,
//! mmap(2)). What it costs to read it is in [`super::memfd_read`].

use super::{Channel, ChannelSpec, End, Parts, Transport, memfd_read};
use crate::link::Link;
use crate::sys::Unsupported;
use crate::system::{self, Home};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;

/// See the module.
#[derive(Debug)]
pub struct MemfdRemap;

impl Transport for MemfdRemap {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("memfd-remap"),
            title: "memfd, mapped only".into(),
            family: Slug::from_name("out-of-line"),
            semantics: "The message lies in a memfd; its descriptor is passed over a Unix record socket (SCM_RIGHTS), and the receiver \
                        maps it and unmaps it when done. Nothing is copied, and no page is touched while the clock runs."
                .into(),
            control: true,
        }
    }

    fn systems(&self) -> &'static [Home] {
        system::LINUX
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        memfd_read::MemfdRead.support(channel)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        memfd_read::MemfdRead.open(channel)
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        memfd_read::link(end, parts, false)
    }
}
