//! `io-uring-multishot`: a connected pair of Unix stream sockets, and one receive request for all messages
//! (`io_uring_multishot(7)`, `io_uring_provided_buffers(7)`).

use super::io_uring_stream::IoUringStream;
use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::{Buffers, size_socket};
use crate::link::{Link, uring as link};
use crate::sys::Unsupported;
use crate::sys::uring::{self, Multishot};
use std::io;

#[derive(Debug)]
pub(crate) struct IoUringMultishot;

impl Transport for IoUringMultishot {
    fn about(&self) -> About {
        control(
            "io-uring-multishot",
            "io_uring, multishot receive",
            "socket",
            uring::SYSTEMS,
            "Like io-uring-stream, but one receive request stays active, and the kernel copies arriving bytes to the \
             next of 16 provided buffers of 16 KiB, from which the receiver copies them. One call to send, one to \
             wait.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        IoUringStream.support(channel)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        IoUringStream.open(channel)
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        size_socket(&socket, channel.buffer_bytes)?;
        let buffers = Buffers::for_socket(&socket);
        Ok(link::over_stream(Multishot::over_socket(socket)?, buffers))
    }
}
