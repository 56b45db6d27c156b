//! Slots in shared memory for the messages of each direction, with counters of sent and received messages. The sender
//! announces a message in a way of its own.

use crate::link::closed;
use crate::link::counter::{Counter, advance, distance};
use crate::sys::handle::Handle;
use crate::sys::shared_memory::{self, Mapping};
use crate::sys::{Unsupported, wake};
use crate::transport::{ChannelSpec, End};
use std::io;
use std::rc::Rc;

/// Capacity of the slots in one direction, unless a single message is longer: that of a Linux pipe, so that the two are
/// comparable.
const CAPACITY_BYTES: usize = 64 * 1024;

pub(in crate::transport) fn support(channel: &ChannelSpec) -> Result<(), Unsupported> {
    channel.default_buffer().and_then(|()| wake::support())
}

/// Creates the memory of both directions.
pub(in crate::transport) fn create(channel: &ChannelSpec) -> io::Result<Handle> {
    shared_memory::create(2 * Slots::for_channel(channel).total_bytes())
}

/// Maps the memory.
pub(in crate::transport) fn connect(
    end: End,
    memory: &Handle,
    channel: &ChannelSpec,
) -> io::Result<(Outgoing, Incoming)> {
    let slots = Slots::for_channel(channel);
    let mapping = Rc::new(Mapping::new(memory, 2 * slots.total_bytes())?);
    let direction = |offset| Direction { mapping: Rc::clone(&mapping), offset, slots };
    let (out_at, in_at) = match end {
        End::Initiator => (0, slots.total_bytes()),
        End::Responder => (slots.total_bytes(), 0),
    };
    Ok((Outgoing(direction(out_at)), Incoming(direction(in_at))))
}

/// Returns the number of messages that one direction holds.
pub(in crate::transport) fn count(channel: &ChannelSpec) -> u32 {
    Slots::for_channel(channel).count
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

struct Direction {
    mapping: Rc<Mapping>,
    offset: usize,
    slots: Slots,
}

impl Direction {
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

/// The sender's side.
pub(in crate::transport) struct Outgoing(Direction);

impl Outgoing {
    /// Copies a message in, waiting while all slots are used; returns its number. The caller announces it.
    #[expect(unsafe_code, reason = "copies into shared memory")]
    pub(in crate::transport) fn put(&self, message: &[u8]) -> io::Result<u32> {
        self.0.check(message.len())?;
        let (sent, received) = self.0.counters();
        let number = sent.own();
        // Only a sender with a full channel waits here, on the receiver's counter; receivers wait for announcements.
        received.wait_until(sent, |received| distance(received, number) < self.0.slots.count)?;
        // SAFETY: the message fits the slot, which the receiver does not access until it is announced.
        unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), self.0.slot(number), message.len()) };
        sent.publish_quietly(advance(number, 1));
        Ok(number)
    }

    /// Makes the other end fail instead of wait, once the caller announces it.
    pub(in crate::transport) fn leave(&self) {
        self.0.counters().0.leave();
    }
}

/// The receiver's side.
pub(in crate::transport) struct Incoming(Direction);

impl Incoming {
    /// Copies an announced message out. Fails if there is none, because the announcement was that of the end.
    #[expect(unsafe_code, reason = "copies out of shared memory")]
    pub(in crate::transport) fn take(&self, buffer: &mut [u8]) -> io::Result<()> {
        self.0.check(buffer.len())?;
        let (sent, received) = self.0.counters();
        let number = received.own();
        if sent.peek() == number {
            return Err(closed());
        }
        // SAFETY: the buffer fits the slot, which the sender does not access until it is returned.
        unsafe { std::ptr::copy_nonoverlapping(self.0.slot(number), buffer.as_mut_ptr(), buffer.len()) };
        received.publish(sent, advance(number, 1));
        Ok(())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.0.counters().1.leave();
    }
}
