//! Access to the memory of a ring.

use super::TooSmall;
use super::geometry::{Geometry, HEADER_BYTES};
use super::parts::{Header, Slot};
use crate::loom_shim::Ordering;
use crate::sys::shared_memory::Mapping;
use std::ptr::NonNull;

/// Owns memory that begins at a page boundary and does not move.
pub trait Keeper: Send {
    /// Returns the first byte.
    fn address(&self) -> NonNull<u8>;
    /// Returns the size.
    fn bytes(&self) -> usize;
}

impl Keeper for Mapping {
    fn address(&self) -> NonNull<u8> {
        Self::address(self)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}

pub(super) struct Memory {
    header: NonNull<Header>,
    slots: NonNull<u8>,
    geometry: Geometry,
    _keeper: Box<dyn Keeper>,
}

// SAFETY: the header and the slots are atomics; a message's bytes are accessed only as its state permits; the keeper is
// only dropped.
#[expect(unsafe_code, reason = "structures over shared memory")]
unsafe impl Send for Memory {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "structures over shared memory")]
unsafe impl Sync for Memory {}

impl Memory {
    #[expect(unsafe_code, reason = "structures over shared memory")]
    pub(super) fn new(keeper: Box<dyn Keeper>, geometry: Geometry) -> Result<Self, TooSmall> {
        let (needed_bytes, found_bytes) = (geometry.bytes(), keeper.bytes());
        if found_bytes < needed_bytes {
            return Err(TooSmall { needed_bytes, found_bytes });
        }
        let header = keeper.address();
        // SAFETY: the ring fits, and its slots begin after the header.
        let slots = unsafe { header.add(HEADER_BYTES) };
        Ok(Self { header: header.cast(), slots, geometry, _keeper: keeper })
    }

    /// Writes an empty ring to the memory. No one may be using it.
    #[expect(unsafe_code, reason = "structures over shared memory")]
    pub(super) fn format(&self) {
        // SAFETY: the header and every slot are within the memory and aligned, and nothing there needs to be dropped.
        unsafe {
            self.header.write(Header::default());
            for position in 0..self.geometry.slots {
                self.start(position).cast().write(Slot::default());
            }
        }
    }

    pub(super) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    #[expect(unsafe_code, reason = "structures over shared memory")]
    pub(super) fn header(&self) -> &Header {
        // SAFETY: memory begins at a page boundary, so it is aligned; all fields can be shared, and zeroes are valid.
        unsafe { self.header.as_ref() }
    }

    #[inline]
    #[expect(unsafe_code, reason = "structures over shared memory")]
    pub(super) fn slot(&self, position: u64) -> &Slot {
        // SAFETY: within the ring and aligned, because every slot begins at a cache line; its fields are atomics.
        unsafe { self.start(position).cast().as_ref() }
    }

    /// Writes a message, which must fit. Only a sender that owns this buffer may call it.
    #[inline]
    #[expect(unsafe_code, reason = "copies into shared memory")]
    pub(super) fn write(&self, buffer: u64, message: &[u8]) {
        assert!(message.len() <= self.geometry.message_bytes);
        self.slot(buffer).access.written();
        // SAFETY: the message fits, and no one else accesses it until a state permits that: receivers have passed the
        // previous message there, and other senders cannot claim it.
        unsafe {
            let place = self.start(buffer).add(self.geometry.message_offset);
            std::ptr::copy_nonoverlapping(message.as_ptr(), place.as_ptr(), message.len());
        }
    }

    /// Returns the message at this position. Only while the state is ready and its receiver has not passed it.
    #[inline]
    #[expect(unsafe_code, reason = "a view of shared memory")]
    pub(super) fn message(&self, position: u64) -> &[u8] {
        let slot = self.slot(position);
        // The length comes from another process and must not exceed the slot.
        let length = (slot.length.load(Ordering::Relaxed) as usize).min(self.geometry.message_bytes);
        let buffer = self.buffer(position);
        self.slot(buffer).access.read();
        // SAFETY: within the slot, initialized from the start (zeroes), and no sender writes it in the meantime.
        unsafe {
            let place = self.start(buffer).add(self.geometry.message_offset);
            std::slice::from_raw_parts(place.as_ptr(), length)
        }
    }

    /// Returns the buffer of the message at this position, whose state is ready.
    #[inline]
    pub(super) fn buffer(&self, position: u64) -> u64 {
        if self.geometry.reuses_buffers {
            // It comes from another process and must be a slot.
            self.geometry.buffer_of(self.slot(position).buffer.load(Ordering::Relaxed).into())
        } else {
            self.geometry.buffer_of(position)
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "structures over shared memory")]
    fn start(&self, position: u64) -> NonNull<u8> {
        // `slots` is a power of two that fits the address space, as the ring does.
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of slots")]
        let index = self.geometry.buffer_of(position) as usize;
        // SAFETY: the index is below the number of slots, which are all within the ring.
        unsafe { self.slots.add(index * self.geometry.slot_bytes) }
    }
}
