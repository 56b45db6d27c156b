//! The number and size of a ring's slots.

/// Start of the slots; the header comes before them.
pub(super) const HEADER_BYTES: usize = size_of::<super::parts::Header>().next_multiple_of(PAGE_BYTES);

const PAGE_BYTES: usize = 4_096;
/// The unit that processors exchange.
const LINE_BYTES: usize = 64;
/// The state and the length of a slot precede its message.
const SLOT_HEADER_BYTES: usize = size_of::<super::parts::Slot>();

/// Longer messages begin at a page boundary, like the sender's memory: see `memory`.
const SHORT_BYTES_MAX: usize = PAGE_BYTES / 4;

/// Capacity of the ring for short messages, in bytes. The number of messages matters: members on the same processor
/// switch when the ring is full or empty, which should cost little compared with the messages in between.
const SHORT_CAPACITY_BYTES: usize = 1_024 * 1_024;
const SLOTS_MAX: usize = 4_096;

/// Capacity for long messages: as many bytes as a Linux pipe holds, so that they stay in a cache near the processor.
const LONG_CAPACITY_BYTES: usize = 64 * 1_024;
/// Sender and receiver can work on different messages, and neither waits for the other's last one.
const SLOTS_MIN: usize = 4;

/// Lengths have 32 bits.
pub const MESSAGE_BYTES_MAX: usize = u32::MAX as usize;

/// The layout of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// A power of two.
    pub slots: u64,
    /// The longest message.
    pub message_bytes: usize,
    /// Whether a single sender writes long messages to the buffer that was used last instead of the next slot's: see
    /// [`super::Sender`].
    pub(super) reuses_buffers: bool,
    /// Offset of the message in its slot.
    pub(super) message_offset: usize,
    /// Distance between slots.
    pub(super) slot_bytes: usize,
}

impl Geometry {
    /// For messages of up to this many bytes.
    pub fn for_messages(message_bytes: usize) -> Self {
        let message_bytes = message_bytes.max(1);
        let is_short = message_bytes <= SHORT_BYTES_MAX;
        let capacity_bytes = if is_short { SHORT_CAPACITY_BYTES } else { LONG_CAPACITY_BYTES };
        let slots = (capacity_bytes / message_bytes).clamp(SLOTS_MIN, SLOTS_MAX);
        // The next lower power of two.
        Self::with_slots(1 << slots.ilog2(), message_bytes)
    }

    /// For messages of up to this many bytes, with a number of slots that is a power of two.
    pub const fn with_slots(slots: u64, message_bytes: usize) -> Self {
        let (message_offset, step) = if message_bytes <= SHORT_BYTES_MAX {
            (SLOT_HEADER_BYTES, LINE_BYTES)
        } else {
            (PAGE_BYTES, PAGE_BYTES)
        };
        let slot_bytes = (message_offset + message_bytes).next_multiple_of(step);
        let reuses_buffers = message_bytes > SHORT_BYTES_MAX && slots <= u64::BITS as u64;
        Self { slots, message_bytes, reuses_buffers, message_offset, slot_bytes }
    }

    /// The buffer of the slot with this position.
    #[inline]
    pub(super) fn buffer_of(&self, position: u64) -> u64 {
        position & (self.slots - 1)
    }

    /// Size of the whole ring in bytes, a whole number of pages.
    pub fn bytes(&self) -> usize {
        let slots = usize::try_from(self.slots).unwrap_or(usize::MAX);
        (HEADER_BYTES + slots * self.slot_bytes).next_multiple_of(PAGE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ring_capacity_is_within_limits() {
        for bytes in [0, 1, 2, 64, 65, 256, 1_024, 1_025, 4_096, 8_192, 8_193, 1 << 20] {
            let geometry = Geometry::for_messages(bytes);
            assert!(geometry.slots.is_power_of_two() && geometry.slots >= 4, "{bytes}: {geometry:?}");
            assert!(geometry.message_bytes >= bytes, "{bytes}: {geometry:?}");
            let capacity_bytes = geometry.slots * geometry.message_bytes as u64;
            assert!(
                capacity_bytes <= SHORT_CAPACITY_BYTES as u64 || geometry.slots == SLOTS_MIN as u64,
                "{bytes}: {geometry:?}"
            );
        }
    }

    #[test]
    fn slots_do_not_overlap() {
        for bytes in [1, 48, 49, 1_024, 1_025, 8_192, 100_000] {
            let Geometry { message_bytes, message_offset, slot_bytes, .. } = Geometry::for_messages(bytes);
            assert!(message_offset >= SLOT_HEADER_BYTES, "{bytes}");
            assert!(message_offset + message_bytes <= slot_bytes, "{bytes}");
            assert_eq!(slot_bytes % LINE_BYTES, 0, "{bytes}");
        }
    }
}
