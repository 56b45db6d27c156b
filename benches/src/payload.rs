//! Recognizable messages: a fixed pattern, stamped with a sequence number.

use crate::memory::Memory;

/// Distance between stamps: a page, so that a page from an earlier message is detected.
const STAMP_DISTANCE: usize = 4096;
const STAMP_BYTES: usize = size_of::<u64>();

/// The longest answer of a receiver to a sender, and the shortest message of `stream`.
pub(crate) const ANSWER_BYTES: usize = STAMP_BYTES;

/// A message of fixed length. The process that uses it creates it and so touches its memory.
#[derive(Debug)]
pub(crate) struct Payload {
    bytes: Memory,
}

impl Payload {
    pub(crate) fn new(length: usize) -> Self {
        Self::within(Memory::heap(length))
    }

    /// Fills this memory with a pattern that differs between adjacent pages.
    #[expect(clippy::cast_possible_truncation, reason = "a pattern of low bytes is wanted")]
    pub(crate) fn within(mut memory: Memory) -> Self {
        // In blocks in which only the low byte counts, so that the compiler can vectorize it.
        for (block, bytes) in memory.chunks_mut(1 << 8).enumerate() {
            let of_block = (block ^ (block >> 8)) as u8;
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = i as u8 ^ of_block;
            }
        }
        Self { bytes: memory }
    }

    /// Writes the sequence number at the start of every page and at the end.
    pub(crate) fn stamp(&mut self, sequence: u64) {
        let stamp = sequence.to_le_bytes();
        for page in self.bytes.chunks_mut(STAMP_DISTANCE) {
            let length = page.len().min(STAMP_BYTES);
            page[..length].copy_from_slice(&stamp[..length]);
        }
        if let Some(end) = self.bytes.last_chunk_mut::<STAMP_BYTES>() {
            *end = stamp;
        }
    }

    /// Writes the sequence number only at the start: a few nanoseconds at any length.
    #[inline]
    pub(crate) fn stamp_header(&mut self, sequence: u64) {
        let length = self.bytes.len().min(STAMP_BYTES);
        self.bytes[..length].copy_from_slice(&sequence.to_le_bytes()[..length]);
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns the sequence number at the start of a message; only its low bytes for shorter messages.
#[inline]
pub(crate) fn sequence_of(message: &[u8]) -> u64 {
    let mut stamp = [0; STAMP_BYTES];
    let length = message.len().min(STAMP_BYTES);
    stamp[..length].copy_from_slice(&message[..length]);
    u64::from_le_bytes(stamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_changes_every_page_and_the_end() {
        let (mut first, mut second) = (Payload::new(10_000), Payload::new(10_000));
        first.stamp(1);
        second.stamp(u64::MAX);
        for at in [0, STAMP_DISTANCE, 2 * STAMP_DISTANCE, 10_000 - STAMP_BYTES] {
            assert_ne!(first.bytes()[at], second.bytes()[at], "at {at}");
        }
    }

    #[test]
    fn sequence_number_keeps_its_low_bytes() {
        for length in 1..20 {
            let mut payload = Payload::new(length);
            payload.stamp_header(0x0123_4567_89ab_cdef);
            let low_bits = u64::MAX >> (64 - 8 * length.min(STAMP_BYTES));
            assert_eq!(sequence_of(payload.bytes()), 0x0123_4567_89ab_cdef & low_bits);
        }
    }
}
