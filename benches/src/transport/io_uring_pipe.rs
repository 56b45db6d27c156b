//! `io-uring-pipe`: two anonymous pipes, used through an `io_uring` with registered memory (`io_uring(7)`, pipe(2)).

use super::pipe::Pipe;
use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::{Link, uring as link};
use crate::sys::Unsupported;
use crate::sys::uring::{self, Streams};
use std::io;

#[derive(Debug)]
pub(crate) struct IoUringPipe;

/// Two blocks of memory for received messages in each process, and one for messages to send. Twice, because the kernel
/// frees those of a killed process some time later.
const BLOCKS: usize = 2 * 2 * (2 + 1);

impl Transport for IoUringPipe {
    fn about(&self) -> About {
        control(
            "io-uring-pipe",
            "io_uring, pipe",
            "pipe",
            uring::SYSTEMS,
            "Like pipe, but each call submits a request to an io_uring and waits for its completion: \
             IORING_OP_WRITE_FIXED, IORING_OP_READ_FIXED, or both in one call if the sender waits for an answer. \
             Pipes and messages are registered.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        uring::support()?;
        Pipe.support(channel)?;
        uring::registration_support(BLOCKS, channel.message_bytes)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        Pipe.open(channel)
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [writer, reader] = parts.take()?;
        let buffers = Buffers::for_pipes(&writer, &reader);
        link::over_pipes(Streams::over_pipes(&writer, &reader)?, buffers, channel.message_bytes)
    }
}
