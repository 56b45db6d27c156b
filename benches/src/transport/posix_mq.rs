//! `posix-mq`: two POSIX message queues, one each way (`mq_overview(7)`).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::datagram::GOODBYE;
use crate::link::{Link, Receiver, Sender, closed, unexpected_length};
use crate::sys::handle::Handle;
use crate::sys::{Unsupported, message_queue};
use crate::system::{Home, System};
use std::io;

#[derive(Debug)]
pub(crate) struct PosixMq;

impl Transport for PosixMq {
    fn about(&self) -> About {
        const SYSTEMS: &[Home] = &[System::FreeBsd.sometimes("with `mqueuefs`"), System::Linux.always()];
        control(
            "posix-mq",
            "POSIX message queue",
            "message-queue",
            SYSTEMS,
            "Two POSIX message queues of 10 messages, one each way: one message is one mq_send and one \
             mq_receive. It is copied into the kernel and out of it.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.default_buffer()?;
        message_queue::support()?;
        // The kernel is asked, with both queues, because its limits depend on who runs this and what else they hold.
        self.open(channel).map(drop).map_err(|error| Unsupported::because(error.to_string()))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let there = message_queue::create(queued_bytes(channel))?;
        let back = message_queue::create(queued_bytes(channel))?;
        Ok(Channel::of([there.try_clone()?, back.try_clone()?], [back, there]))
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [outgoing, incoming] = parts.take()?;
        Ok(Link::new(
            QueueSender(outgoing),
            QueueReceiver { queue: incoming, short: vec![0; queued_bytes(channel)] },
            Buffers::default(),
        ))
    }
}

/// The message size of the queues: room for a goodbye, too.
fn queued_bytes(channel: &ChannelSpec) -> usize {
    channel.message_bytes.max(GOODBYE.len())
}

struct QueueSender(Handle);

impl Sender for QueueSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        message_queue::send(&self.0, message)
    }
}

impl Drop for QueueSender {
    fn drop(&mut self) {
        // A queue does not know that its writer is gone. Where it is full, nobody waits for this.
        let _ = message_queue::try_send(&self.0, &GOODBYE);
    }
}

struct QueueReceiver {
    queue: Handle,
    /// For messages shorter than the longest: a queue wants room for that one.
    short: Vec<u8>,
}

impl Receiver for QueueReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let wanted = buffer.len();
        let received = if wanted < self.short.len() {
            let length = message_queue::receive(&self.queue, &mut self.short)?;
            &self.short[..length]
        } else {
            let length = message_queue::receive(&self.queue, buffer)?;
            &buffer[..length]
        };
        if received == GOODBYE {
            return Err(closed());
        }
        if received.len() != wanted {
            return Err(unexpected_length(received.len(), wanted));
        }
        Ok(received)
    }
}
