//! The memory layout of a ring. All zeros is an empty ring without members.

use super::SEATS;
use super::wake::Spot;
use crate::loom_shim::{AccessCheck, AtomicU32, AtomicU64};

/// The part that all members share, before the slots.
#[derive(Default)]
#[repr(C, align(128))]
pub(super) struct Header {
    /// A hint for the next free slot. It may be behind, but never ahead of an unclaimed slot.
    pub(super) tail: AtomicU64,
    pub(super) senders: Side,
    pub(super) receivers: Side,
}

#[derive(Default)]
#[repr(C, align(128))]
pub(super) struct Side {
    /// One bit for each present member, and [`OPENED`].
    pub(super) present: AtomicU64,
    pub(super) seats: [Seat; SEATS],
}

/// Set in [`Side::present`] once a first member is ready: only then can all have left.
pub(super) const OPENED: u64 = 1 << 63;

/// One member's seat, on separate cache lines (two, because processors fetch them in pairs).
#[derive(Default)]
#[repr(C, align(128))]
pub(super) struct Seat {
    /// The process that holds it ([`super::liveness::Identity`]); 0 if free.
    pub(super) holder: AtomicU64,
    /// For a receiver: the position that it reads next, plus one; 0 before it reads.
    pub(super) reading: AtomicU64,
    pub(super) spot: Spot,
}

#[derive(Default)]
#[repr(C)]
pub(super) struct Slot {
    /// A [`State`].
    pub(super) state: AtomicU64,
    pub(super) length: AtomicU32,
    /// The slot with the message's bytes, if the geometry reuses buffers; else they are in this slot.
    pub(super) buffer: AtomicU32,
    /// Checks accesses to the bytes in this slot.
    pub(super) access: AccessCheck,
}

/// A slot's position, sender and stage: `position + 1` from bit 8 up (2^56 messages are centuries), the sender's seat
/// in bits 2 to 6, the stage in bits 0 and 1. Zero: never used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State(pub(super) u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// One of several senders writes it.
    Claimed = 1,
    Ready = 2,
    /// Empty, because its sender died while it wrote.
    Void = 3,
}

impl State {
    pub(super) fn new(position: u64, seat: usize, stage: Stage) -> Self {
        Self((position + 1) << 8 | (seat as u64 & 0x1f) << 2 | stage as u64)
    }

    /// Its position; `None` if the slot was never used.
    pub(super) fn position(self) -> Option<u64> {
        (self.0 >> 8).checked_sub(1)
    }

    pub(super) fn seat(self) -> usize {
        // Five bits.
        (self.0 >> 2 & 0x1f) as usize
    }

    pub(super) fn stage(self) -> Option<Stage> {
        match self.0 & 3 {
            1 => Some(Stage::Claimed),
            2 => Some(Stage::Ready),
            3 => Some(Stage::Void),
            _ => None,
        }
    }
}
