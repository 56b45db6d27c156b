//! `memfd-remap`: memory passed as a descriptor over a Unix socket and mapped, but not read (`memfd_create(2)`,
//! `SCM_RIGHTS`, mmap(2)). [`super::memfd_read`] includes the cost of reading it.

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
            "A memfd, whose descriptor is passed over a SOCK_SEQPACKET socket (SCM_RIGHTS). The receiver \
             maps and unmaps it. Nothing is copied, and no page is touched while timed.",
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
