//! `eventfd`: messages in shared memory, announced by one eventfd per direction (eventfd(2)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::counter::{Counter, advance, distance};
use crate::link::{Link, Receiver, Sender, closed};
use crate::sys::handle::Handle;
use crate::sys::shared_memory::{self, Mapping};
use crate::sys::{Unsupported, event, wake};
use crate::system;
use std::io;
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct Eventfd;

/// Capacity of the slots in one direction, unless a single message is longer: that of a Linux pipe, so that the two are
/// comparable.
const CAPACITY_BYTES: usize = 64 * 1024;

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
        channel.default_buffer()?;
        event::support().and_then(|()| wake::support())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let memory = shared_memory::create(2 * Slots::for_channel(channel).total_bytes())?;
        let (there, back) = (event::create()?, event::create()?);
        Ok(Channel::from_handles(
            [memory.try_clone()?, there.try_clone()?, back.try_clone()?],
            [memory, back, there],
        ))
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [memory, outgoing, incoming] = parts.take()?;
        let slots = Slots::for_channel(channel);
        let mapping = Rc::new(Mapping::new(&memory, 2 * slots.total_bytes())?);
        let half = |offset, event| Half { mapping: Rc::clone(&mapping), offset, slots, event };
        let (out_at, in_at) = match end {
            End::Initiator => (0, slots.total_bytes()),
            End::Responder => (slots.total_bytes(), 0),
        };
        Ok(Link::new(
            SlotSender(half(out_at, outgoing)),
            SlotReceiver(half(in_at, incoming)),
            Buffers::default(),
        ))
    }
}

/// The memory layout of one direction: two counters, then the slots.
#[derive(Clone, Copy)]
struct Slots {
    count: u32,
    bytes: usize,
}

impl Slots {
    const HEADER_BYTES: usize = 2 * size_of::<Counter>();

    fn for_channel(channel: &ChannelSpec) -> Self {
        let bytes = channel.message_bytes.max(crate::payload::ANSWER_BYTES).next_multiple_of(64);
        Self { count: u32::try_from(CAPACITY_BYTES / bytes).unwrap_or(1).max(1), bytes }
    }

    fn total_bytes(self) -> usize {
        (Self::HEADER_BYTES + self.count as usize * self.bytes).next_multiple_of(4096)
    }
}

/// One side's view of one direction.
struct Half {
    mapping: Rc<Mapping>,
    offset: usize,
    slots: Slots,
    event: Handle,
}

impl Half {
    #[expect(unsafe_code, reason = "structures over shared memory")]
    fn counters(&self) -> (&Counter, &Counter) {
        // SAFETY: the header is inside the mapping and aligned, because `offset` is a multiple of a page; all fields
        // are atomics, and zeroes are valid.
        unsafe {
            let first = self.mapping.address().add(self.offset).cast::<Counter>();
            (first.as_ref(), first.add(1).as_ref())
        }
    }

    #[expect(unsafe_code, reason = "an address in shared memory")]
    fn slot(&self, message: u32) -> *mut u8 {
        let index = (message % self.slots.count) as usize;
        // SAFETY: the slots are inside the mapping.
        unsafe {
            self.mapping.address().as_ptr().add(self.offset + Slots::HEADER_BYTES + index * self.slots.bytes)
        }
    }

    fn check(&self, bytes: usize) -> io::Result<()> {
        if bytes <= self.slots.bytes {
            return Ok(());
        }
        Err(io::Error::other(format!("message of {bytes} B exceeds the slot size of {} B", self.slots.bytes)))
    }
}

struct SlotSender(Half);

impl Sender for SlotSender {
    #[expect(unsafe_code, reason = "copies into shared memory")]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.check(message.len())?;
        let (sent, received) = self.0.counters();
        let number = sent.own();
        // Only a sender with a full channel waits here, on the receiver's counter; receivers wait only on the eventfd.
        received.wait_until(sent, |received| distance(received, number) < self.0.slots.count)?;
        // SAFETY: the message fits the slot, which the receiver does not access until it is announced.
        unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), self.0.slot(number), message.len()) };
        sent.publish_quietly(advance(number, 1));
        event::raise(&self.0.event)
    }
}

impl Drop for SlotSender {
    fn drop(&mut self) {
        self.0.counters().0.leave();
        // If it fails, the counter is at its limit and no one waits.
        let _ = event::raise(&self.0.event);
    }
}

struct SlotReceiver(Half);

impl Receiver for SlotReceiver {
    #[expect(unsafe_code, reason = "copies out of shared memory")]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.0.check(buffer.len())?;
        event::wait(&self.0.event)?;
        let (sent, received) = self.0.counters();
        let number = received.own();
        if sent.peek() == number {
            return Err(closed());
        }
        // SAFETY: the buffer fits the slot, which the sender does not access until it is returned.
        unsafe { std::ptr::copy_nonoverlapping(self.0.slot(number), buffer.as_mut_ptr(), buffer.len()) };
        received.publish(sent, advance(number, 1));
        Ok(buffer)
    }
}

impl Drop for SlotReceiver {
    fn drop(&mut self) {
        self.0.counters().1.leave();
    }
}
