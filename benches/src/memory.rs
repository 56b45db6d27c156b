//! [`Memory`]: where messages are written and read, of this process or shared with another.

use crate::sys::shared_memory::Mapping;
use std::ops::{Deref, DerefMut};

/// Bytes of a fixed length, present from the start: the process that uses it makes it, and touches it.
#[derive(Debug)]
pub enum Memory {
    /// This process's own.
    Heap(Vec<u8>),
    /// Shared, so that it can be passed by reference; the mapping may be longer.
    Shared {
        /// The mapping.
        mapping: Mapping,
        /// How much of it is used.
        bytes: usize,
    },
}

impl Memory {
    /// Of this process alone.
    pub fn heap(bytes: usize) -> Self {
        // Zeroes would be the kernel's shared zero page until the first write.
        Self::Heap(vec![0xff; bytes])
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Shared { mapping, bytes } => &mapping.contents()[..*bytes],
        }
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Shared { mapping, bytes } => &mut mapping.contents_mut()[..*bytes],
        }
    }
}
