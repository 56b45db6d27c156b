//! `posix-mq`: two POSIX message queues, one per direction (`mq_overview(7)`).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::datagram::GOODBYE;
use crate::link::{Link, Receiver, Sender, closed, unexpected_length};
use crate::sys::handle::Handle;
use crate::sys::{Unsupported, message_queue};
use crate::system::{SupportedSystem, System};
use std::io;

#[derive(Debug)]
pub(crate) struct PosixMq;

impl Transport for PosixMq {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] =
            &[System::FreeBsd.sometimes("with `mqueuefs`"), System::Linux.always()];
        control(
            "posix-mq",
            "POSIX message queue",
            "message-queue",
            SYSTEMS,
            "Two POSIX message queues of 10 messages, one each way. One mq_send and mq_receive per message; \
             copied in and out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.default_buffer()?;
        message_queue::support()?;
        // Creates both queues to check, because the kernel's limits depend on the user and their other queues.
        self.open(channel).map(drop).map_err(|error| Unsupported::because(error.to_string()))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let there = message_queue::create(queued_bytes(channel))?;
        let back = message_queue::create(queued_bytes(channel))?;
        Ok(Channel::from_handles([there.try_clone()?, back.try_clone()?], [back, there]))
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

/// The message size of the queues, with room for a goodbye.
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
        // A queue does not report that its writer is gone. If it is full, no one waits for this.
        let _ = message_queue::try_send(&self.0, &GOODBYE);
    }
}

struct QueueReceiver {
    queue: Handle,
    /// For shorter messages: a queue requires a buffer for the longest.
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
