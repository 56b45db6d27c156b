//! `sysv-mq`: two System V message queues, one per direction (`sysvipc(7)`).
//!
//! A queue outlives the processes that use it, so the harness owns both, and passes their identifiers. A receiver that
//! leaves removes its queue, which its sender notices. A sender that leaves sends a last, empty message of another type.

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::{Link, Receiver, Sender, closed, unexpected_length};
use crate::memory::Memory;
use crate::sys::Unsupported;
use crate::sys::sysv::queue::{self, TYPE_BYTES};
use crate::system::{SupportedSystem, System};
use std::ffi::{c_int, c_long};
use std::io;

#[derive(Debug)]
pub(crate) struct SysvMq;

/// The type of a message.
const MESSAGE: c_long = 1;
/// The type of the last message.
const GOODBYE: c_long = 2;

impl Transport for SysvMq {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] = &[System::FreeBsd.always(), System::Linux.always()];
        control(
            "sysv-mq",
            "System V message queue",
            "message-queue",
            SYSTEMS,
            "Two System V message queues of the system's default capacity, one each way. The sender copies a \
             message behind its type, msgsnd copies it in, msgrcv copies it out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.default_buffer().and_then(|()| queue::support(channel.message_bytes))
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let (objects, [there, back]) = queue::create_pair()?;
        Ok(Channel {
            initiator: Parts::at(format!("{there} {back}")),
            responder: Parts::at(format!("{back} {there}")),
            folder: None,
            objects: Some(objects),
        })
    }

    fn connect(&self, _end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let queues = parts.address()?.split_once(' ');
        let [outgoing, incoming] = queues
            .and_then(|(outgoing, incoming)| Some([outgoing.parse().ok()?, incoming.parse().ok()?]))
            .ok_or_else(|| io::Error::other("expected the identifiers of two queues"))?;
        let message = || Memory::heap(TYPE_BYTES + channel.message_bytes.max(crate::payload::ANSWER_BYTES));
        let mut outgoing = QueueSender { queue: outgoing, message: message() };
        outgoing.set_type(MESSAGE);
        Ok(Link::new(outgoing, QueueReceiver { queue: incoming, message: message() }, Buffers::default()))
    }
}

struct QueueSender {
    queue: c_int,
    /// A type, and room for the longest message.
    message: Memory,
}

impl QueueSender {
    fn set_type(&mut self, kind: c_long) {
        self.message[..TYPE_BYTES].copy_from_slice(&kind.to_ne_bytes());
    }
}

impl Sender for QueueSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let end = TYPE_BYTES + message.len();
        let place = self.message.get_mut(TYPE_BYTES..end).ok_or(io::ErrorKind::InvalidInput)?;
        place.copy_from_slice(message);
        queue::send(self.queue, &self.message[..end])
    }
}

impl Drop for QueueSender {
    fn drop(&mut self) {
        self.set_type(GOODBYE);
        // A queue counts bytes, so it always has room for an empty message, unless it is full of messages of one byte.
        let _ = queue::try_send(self.queue, &self.message[..TYPE_BYTES]);
    }
}

struct QueueReceiver {
    queue: c_int,
    /// A type, and room for the longest message.
    message: Memory,
}

impl Receiver for QueueReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let length = queue::receive(self.queue, &mut self.message)?;
        let (kind, message) = self.message.split_at(TYPE_BYTES);
        if kind == GOODBYE.to_ne_bytes() {
            return Err(closed());
        }
        if length != buffer.len() {
            return Err(unexpected_length(length, buffer.len()));
        }
        Ok(&message[..length])
    }
}

impl Drop for QueueReceiver {
    fn drop(&mut self) {
        queue::remove(self.queue);
    }
}
