//! Memory shared between processes through a descriptor, without a name that a crash could leave behind.

use super::Unsupported;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;

#[cfg_attr(target_os = "linux", path = "memfd.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Whether the mechanism exists here.
///
/// # Errors
/// The reason where it does not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Creates zeroed memory of this size.
///
/// # Errors
/// Of the system: out of memory or descriptors.
pub fn create(bytes: usize) -> io::Result<OwnedFd> {
    imp::create(bytes)
}

/// A mapping into this process, writable, its pages present from the start. Unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    address: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is plain shared memory; who may touch which part is the business of its users, which go
// through atomics for everything that two sides touch at once.
#[expect(unsafe_code, reason = "a mapping may move to another thread")]
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps the whole of a memory object of this size.
    ///
    /// # Errors
    /// Of the system.
    pub fn new(memory: impl AsFd, bytes: usize) -> io::Result<Self> {
        Self::part(memory, 0, bytes)
    }

    /// Maps a part of a memory object; the offset is a multiple of a page.
    ///
    /// # Errors
    /// Of the system.
    pub fn part(memory: impl AsFd, offset: usize, bytes: usize) -> io::Result<Self> {
        Ok(Self { address: imp::map(memory.as_fd(), offset, bytes, true)?, bytes })
    }

    /// Maps it without looking at it: each page becomes present when it is first touched.
    ///
    /// # Errors
    /// Of the system.
    pub fn untouched(memory: impl AsFd, bytes: usize) -> io::Result<Self> {
        Ok(Self { address: imp::map(memory.as_fd(), 0, bytes, false)?, bytes })
    }

    /// Its first byte.
    pub fn address(&self) -> NonNull<u8> {
        self.address
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What is in it. Another process may be writing there: who asks must know from the transport that the other
    /// side leaves these bytes alone meanwhile.
    #[expect(unsafe_code, reason = "a view of mapped memory")]
    pub fn contents(&self) -> &[u8] {
        // SAFETY: the range is mapped as long as `self` lives, and every byte of it is initialised: zero at first.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.bytes) }
    }

    /// What is in it, to be written. The same condition holds.
    #[expect(unsafe_code, reason = "a view of mapped memory")]
    pub fn contents_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` makes this the only view in this process.
        unsafe { std::slice::from_raw_parts_mut(self.address.as_ptr(), self.bytes) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        imp::unmap(self.address, self.bytes);
    }
}
