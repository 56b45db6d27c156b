//! [`Frame`]: memory for one message, as sent or received.

use super::message::PAYLOAD;
use std::ops::{Deref, DerefMut};

/// Memory for one message, aligned so that an inline payload begins at a page boundary ([`crate::memory::Memory`]
/// explains why). Its pages are present from the start.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Longer, so that it contains an aligned range.
    whole: Vec<u8>,
    start: usize,
    bytes: usize,
    page_bytes: usize,
}

impl Frame {
    pub(crate) fn new(bytes: usize, page_bytes: usize) -> Self {
        // Zeroes would be the kernel's shared zero page until the first write.
        let whole = vec![0xff; PAYLOAD + page_bytes + bytes];
        let start = whole[PAYLOAD..].as_ptr().align_offset(page_bytes);
        Self { whole, start, bytes, page_bytes }
    }

    /// Makes it hold this many bytes. It never shrinks; growing discards its contents.
    #[inline]
    pub(crate) fn grow(&mut self, bytes: usize) {
        if bytes > self.bytes {
            *self = Self::new(bytes, self.page_bytes);
        }
    }
}

impl Deref for Frame {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.whole[self.start..self.start + self.bytes]
    }
}

impl DerefMut for Frame {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.whole[self.start..self.start + self.bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_begins_at_a_page_and_frame_never_shrinks() {
        for page_bytes in [4_096, 16_384] {
            let mut frame = Frame::new(64, page_bytes);
            for bytes in [64, 5_000, 70_000, 100, 1 << 20, 0] {
                let before = frame.len();
                frame.grow(bytes);
                assert_eq!(frame.len(), before.max(bytes));
                assert_eq!((frame.as_ptr().addr() + PAYLOAD) % page_bytes, 0);
            }
        }
    }
}
