//! Primitives for [`crate::ring`]. The model checker compiles the ring with another version of this file
//! (`tests/model/loom_shim.rs`).

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::thread::yield_now;

/// Seats on each side of a ring: the most senders, and the most receivers.
pub(crate) const SEATS: usize = 32;

/// Checks in a tight loop before yielding: some microseconds, the time of a message in flight.
pub(crate) const SPINS: u32 = 200;

/// Further checks, with a yield of the processor after each: together about as long as a sleep and a wake-up across
/// processors. So at worst a wait takes twice its minimum (Karlin et al., "Empirical studies of competitive spinning
/// for a shared-memory multiprocessor", 1991). Another member that waits for this processor gets it immediately.
pub(crate) const YIELDS: u32 = 50;

/// A placeholder for the bytes of a message. They are copied without atomics, because no one writes bytes that another
/// reads; the model checker's placeholder verifies that.
#[derive(Debug, Default)]
pub(crate) struct AccessCheck;

impl AccessCheck {
    /// Called before the bytes are written.
    #[inline]
    pub(crate) fn written(&self) {}

    /// Called before the bytes are read.
    #[inline]
    pub(crate) fn read(&self) {}
}
