//! Messages of several senders: each contains its sender and number, and all other bytes are derived from these.
//!
//! The first two bytes are the sender and the low bits of the number; the rest is a section of one fixed table of
//! random bytes, at an offset derived from both. So a receiver knows the content of a message before it arrives,
//! however short, and a mixture of two messages equals neither.

use crate::sizes::Sizes;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;

/// The shortest message.
pub(super) const HEADER_BYTES: usize = 2;

/// Bits of the number in a header: enough to distinguish one lap of the ring from the next.
const NUMBER_BITS: u32 = 11;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;
/// Numbers up to this far ahead of the expected one are later ones, the others earlier ones.
const AHEAD_MAX: u64 = 1 << (NUMBER_BITS - 1);

/// Offsets in the table at which a message can begin.
const STARTS: usize = 1 << 14;

/// The table of random bytes, the same in every process.
#[derive(Debug)]
pub(super) struct Table {
    bytes: Vec<u8>,
}

impl Table {
    pub(super) fn new(message_bytes: usize) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
        Self { bytes: (0..STARTS + message_bytes).map(|_| random.random()).collect() }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a start within the table")]
    fn body(&self, sender: u32, number: u64, length: usize) -> &[u8] {
        // Multiplicative hashing: consecutive numbers begin far apart (Knuth, "The Art of Computer Programming", 6.4).
        let mixed = (number << 5 | u64::from(sender)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let start = (mixed >> (u64::BITS - STARTS.ilog2())) as usize;
        &self.bytes[start..start + length]
    }

    #[inline]
    pub(super) fn write(&self, sender: u32, number: u64, message: &mut [u8]) {
        let (header, body) = message.split_at_mut(HEADER_BYTES);
        header.copy_from_slice(&header_of(sender, number).to_le_bytes());
        body.copy_from_slice(self.body(sender, number, body.len()));
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "5 and 11 bits")]
fn header_of(sender: u32, number: u64) -> u16 {
    (sender as u16) << NUMBER_BITS | (number & NUMBER_MASK) as u16
}

#[derive(Debug)]
pub(super) struct Reader {
    table: Table,
    senders: Vec<Expected>,
    /// Received intact, once, and in the order of their sender.
    pub(super) delivered: u64,
    pub(super) duplicated: u64,
    pub(super) out_of_order: u64,
    /// Received with content that was never sent.
    pub(super) torn: u64,
}

#[derive(Debug)]
struct Expected {
    next: u64,
    sizes: Sizes,
    /// Numbers before `next` that have not arrived.
    missing: BTreeSet<u64>,
}

impl Reader {
    /// For messages from senders with these sizes.
    pub(super) fn new(message_bytes: usize, sizes: Vec<Sizes>) -> Self {
        let expected = |sizes| Expected { next: 0, sizes, missing: BTreeSet::new() };
        Self {
            table: Table::new(message_bytes),
            senders: sizes.into_iter().map(expected).collect(),
            delivered: 0,
            duplicated: 0,
            out_of_order: 0,
            torn: 0,
        }
    }

    #[inline]
    pub(super) fn read(&mut self, message: &[u8]) {
        let Some((&header, body)) = message.split_first_chunk::<HEADER_BYTES>() else {
            self.torn += 1;
            return;
        };
        let header = u16::from_le_bytes(header);
        let sender = u32::from(header >> NUMBER_BITS);
        let Some(expected) = self.senders.get_mut(sender as usize) else {
            self.torn += 1;
            return;
        };
        let ahead = u64::from(header).wrapping_sub(expected.next) & NUMBER_MASK;
        let number = if ahead < AHEAD_MAX {
            Some(expected.next + ahead)
        } else {
            (expected.next + ahead).checked_sub(NUMBER_MASK + 1)
        };
        let is_intact = |number: &u64| {
            message.len() == expected.sizes.bytes_of(*number)
                && body == self.table.body(sender, *number, body.len())
        };
        let Some(number) = number.filter(is_intact) else {
            self.torn += 1;
            // It replaced the expected one.
            expected.next += 1;
            return;
        };
        if number == expected.next {
            self.delivered += 1;
        } else if number > expected.next {
            self.delivered += 1;
            expected.missing.extend(expected.next..number);
        } else if expected.missing.remove(&number) {
            self.out_of_order += 1;
        } else {
            self.duplicated += 1;
        }
        expected.next = expected.next.max(number + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 40;

    fn reader(senders: usize) -> Reader {
        Reader::new(BYTES, vec![Sizes::Fixed(BYTES); senders])
    }

    fn message(sender: u32, number: u64) -> Vec<u8> {
        let mut message = vec![0; BYTES];
        Table::new(BYTES).write(sender, number, &mut message);
        message
    }

    fn counts(reader: &Reader) -> [u64; 4] {
        [reader.delivered, reader.duplicated, reader.out_of_order, reader.torn]
    }

    #[test]
    fn accepts_messages_in_order_when_numbers_wrap() {
        let mut reader = reader(3);
        for number in 0..5_000 {
            for sender in 0..3 {
                reader.read(&message(sender, number));
            }
        }
        assert_eq!(counts(&reader), [15_000, 0, 0, 0]);
    }

    #[test]
    fn distinguishes_faults() {
        let mut reader = reader(2);
        for number in [0, 1, 4, 5, 2, 5, 6] {
            reader.read(&message(1, number));
        }
        assert_eq!(counts(&reader), [5, 1, 1, 0], "3 lost, 2 late, 5 twice");
    }

    #[test]
    fn rejects_messages_from_an_earlier_lap() {
        let mut reader = reader(1);
        for number in 0..512 {
            reader.read(&message(0, number));
        }
        reader.read(&message(0, 0));
        assert_eq!(counts(&reader), [512, 1, 0, 0]);
    }

    #[test]
    fn every_mixture_of_two_messages_is_torn() {
        for split in 1..BYTES {
            let mut reader = reader(1);
            let (one, other) = (message(0, 0), message(0, 512));
            let mixture = [&one[..split], &other[split..]].concat();
            reader.read(&mixture);
            // If cut within the header, it may equal one of the two after all.
            let is_torn = mixture != one && mixture != other;
            assert_eq!(
                counts(&reader),
                if is_torn { [0, 0, 0, 1] } else { [1, 0, 0, 0] },
                "split at {split}"
            );
        }
        for (length, expected) in [(0, 1), (1, 1), (BYTES - 1, 1)] {
            let mut reader = reader(1);
            reader.read(&message(0, 0)[..length]);
            assert_eq!(reader.torn, expected, "cut to {length} B");
        }
    }

    #[test]
    fn unknown_sender_is_torn() {
        let mut reader = reader(1);
        reader.read(&message(1, 0));
        assert_eq!(counts(&reader), [0, 0, 0, 1]);
    }
}
