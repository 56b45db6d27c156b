//! `io-uring-stream`: a connected pair of Unix stream sockets, used through an `io_uring` (`io_uring(7)`, socketpair(2)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::{Buffers, size_socket};
use crate::link::{Link, uring as link};
use crate::sys::Unsupported;
use crate::sys::socket::{self, Kind};
use crate::sys::uring::{self, Streams};
use std::io;

#[derive(Debug)]
pub(crate) struct IoUringStream;

impl Transport for IoUringStream {
    fn about(&self) -> About {
        control(
            "io-uring-stream",
            "io_uring, Unix stream socket",
            "socket",
            uring::SYSTEMS,
            "Like socketpair, but each call submits a request to an io_uring and waits for its completion: \
             IORING_OP_SEND, IORING_OP_RECV, or both in one call if the sender waits for an answer. The socket is a \
             registered file.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| uring::support())
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = socket::pair(Kind::Stream)?;
        Ok(Channel::from_handles([initiator], [responder]))
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [socket] = parts.take()?;
        size_socket(&socket, channel.buffer_bytes)?;
        let buffers = Buffers::for_socket(&socket);
        Ok(link::over_socket(Streams::over_socket(&socket)?, buffers))
    }
}
