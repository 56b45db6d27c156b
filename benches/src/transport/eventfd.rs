//! `eventfd`: messages in shared memory, announced by one eventfd per direction (eventfd(2)).

use super::family::slots::{self, Incoming, Outgoing};
use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::{Link, Receiver, Sender};
use crate::sys::handle::Handle;
use crate::sys::{Unsupported, event};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct Eventfd;

impl Transport for Eventfd {
    fn about(&self) -> About {
        control(
            "eventfd",
            "Shared memory, eventfd",
            "shared-memory",
            system::LINUX,
            "Shared-memory slots, 64 KiB or one message each way, and an eventfd each way. A message is \
             copied in, signalled with one write, awaited with one read, and copied out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        event::support().and_then(|()| slots::support(channel))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let memory = slots::create(channel)?;
        let (there, back) = (event::create()?, event::create()?);
        Ok(Channel::from_handles(
            [memory.try_clone()?, there.try_clone()?, back.try_clone()?],
            [memory, back, there],
        ))
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [memory, outgoing, incoming] = parts.take()?;
        let (slots_out, slots_in) = slots::connect(end, &memory, channel)?;
        Ok(Link::new(
            SlotSender { slots: slots_out, event: outgoing },
            SlotReceiver { slots: slots_in, event: incoming },
            Buffers::default(),
        ))
    }
}

struct SlotSender {
    slots: Outgoing,
    event: Handle,
}

impl Sender for SlotSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.slots.put(message)?;
        event::raise(&self.event)
    }
}

impl Drop for SlotSender {
    fn drop(&mut self) {
        self.slots.leave();
        // If it fails, the counter is at its limit and no one waits.
        let _ = event::raise(&self.event);
    }
}

struct SlotReceiver {
    slots: Incoming,
    event: Handle,
}

impl Receiver for SlotReceiver {
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        event::wait(&self.event)?;
        self.slots.take(buffer)?;
        Ok(buffer)
    }
}
