//! [`Memory`]: the memory that messages are written to and read from, private or shared with another process.

use crate::sys::shared_memory::Mapping;
use std::ops::{Deref, DerefMut, Range};

/// Memory begins at a page boundary, independent of the allocator. It puts large blocks 16 bytes into a page; the
/// position of small ones depends on the rest of the heap. A copy between two addresses that differ by little within a
/// page (the kernel's buffers begin at 0) took 2.3 times as long here, at 1 MiB through a pipe, as one between equal
/// ones: the pattern of loads that wait for stores to the same address modulo 4 KiB.
const ALIGNMENT_BYTES: usize = 4_096;

/// Bytes of a fixed length, present from the start: the process that uses them creates and touches them.
#[derive(Debug)]
pub enum Memory {
    /// Private to this process.
    Heap {
        /// Longer, so that it contains an aligned range.
        whole: Vec<u8>,
        /// The used range.
        used: Range<usize>,
    },
    /// Shared, so that it can be passed by reference; the mapping may be longer.
    Shared { mapping: Mapping, bytes: usize },
}

impl Memory {
    pub(crate) fn heap(bytes: usize) -> Self {
        // Zeroes would be the kernel's shared zero page until the first write.
        let whole = vec![0xff; bytes + ALIGNMENT_BYTES - 1];
        let start = whole.as_ptr().align_offset(ALIGNMENT_BYTES);
        Self::Heap { used: start..start + bytes, whole }
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap { whole, used } => &whole[used.clone()],
            Self::Shared { mapping, bytes } => &mapping.contents()[..*bytes],
        }
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Heap { whole, used } => &mut whole[used.clone()],
            Self::Shared { mapping, bytes } => &mut mapping.contents_mut()[..*bytes],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_begins_at_a_page_with_the_requested_length() {
        for bytes in [0, 1, 63, 64, 100, 4_096, 131_072, 1 << 20] {
            let memory = Memory::heap(bytes);
            assert_eq!((memory.len(), memory.as_ptr().addr() % ALIGNMENT_BYTES), (bytes, 0), "{bytes}");
            assert!(memory.iter().all(|&byte| byte == 0xff), "{bytes}: not touched");
        }
    }
}
