//! `memfd-remap`: memory passed as a descriptor over a Unix socket and mapped, but not looked at (`memfd_create(2)`, `SCM_RIGHTS`,
//! mmap(2)). What it costs to read it is in [`super::memfd_read`].

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, memfd_read};
use crate::link::Link;
use crate::sys::Unsupported;
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct MemfdRemap;

impl Transport for MemfdRemap {
    fn about(&self) -> About {
        control(
            "memfd-remap",
            "memfd, mapped only",
            "out-of-line",
            system::LINUX,
            "The message lies in a memfd; its descriptor is passed over a Unix record socket (SCM_RIGHTS), and the receiver \
             maps it and unmaps it when done. Nothing is copied, and no page is touched while the clock runs.",
        )
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
