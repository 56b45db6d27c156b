//! Memory shared between processes through a handle, without a name that a crash could leave behind.

use super::Unsupported;
use super::handle::Handle;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

#[cfg_attr(target_os = "linux", path = "memfd.rs")]
#[cfg_attr(any(target_os = "macos", target_os = "freebsd"), path = "shm.rs")]
#[cfg_attr(windows, path = "section.rs")]
mod imp;
#[cfg(unix)]
mod mmap;

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
/// Of the system: out of memory or handles.
pub fn create(bytes: usize) -> io::Result<Handle> {
    imp::create(bytes)
}

/// A mapping into this process, writable, its pages present from the start. Unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    address: NonNull<u8>,
    bytes: usize,
    /// Mapped before what was asked for, because systems map from certain offsets only.
    before_bytes: usize,
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
    pub fn new(memory: &Handle, bytes: usize) -> io::Result<Self> {
        Self::part(memory, 0, bytes)
    }

    /// Maps a part of a memory object.
    ///
    /// # Errors
    /// Of the system.
    pub fn part(memory: &Handle, offset: usize, bytes: usize) -> io::Result<Self> {
        Self::map(memory, offset, bytes, true)
    }

    /// Maps it without looking at it: each page becomes present when it is first touched.
    ///
    /// # Errors
    /// Of the system.
    pub fn untouched(memory: &Handle, bytes: usize) -> io::Result<Self> {
        Self::map(memory, 0, bytes, false)
    }

    #[expect(unsafe_code, reason = "an address in mapped memory")]
    fn map(memory: &Handle, offset: usize, bytes: usize, present: bool) -> io::Result<Self> {
        let before_bytes = offset % imp::granularity();
        let start = imp::map(memory, offset - before_bytes, before_bytes + bytes, present)?;
        // SAFETY: so many bytes are mapped there, and more.
        Ok(Self { address: unsafe { start.add(before_bytes) }, bytes, before_bytes })
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
    #[expect(unsafe_code, reason = "an address in mapped memory")]
    fn drop(&mut self) {
        // SAFETY: the mapping begins there.
        imp::unmap(unsafe { self.address.sub(self.before_bytes) }, self.before_bytes + self.bytes);
    }
}

/// Makes all pages present, without changing what is in them, for systems that have no call for it.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "Linux does it while it maps"))]
#[expect(unsafe_code, reason = "writing to mapped memory")]
fn touch(address: NonNull<u8>, bytes: usize) {
    /// No system has smaller ones.
    const PAGE_BYTES: usize = 4096;
    for offset in (0..bytes).step_by(PAGE_BYTES) {
        // SAFETY: the byte is mapped and writable.
        let byte = unsafe { AtomicU8::from_ptr(address.add(offset).as_ptr()) };
        let found = byte.load(Ordering::Relaxed);
        // A write, unless another process has written meanwhile, which is as good. Adding nothing would be made a read.
        let _ = byte.compare_exchange(found, found, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_begins_at_any_offset_and_is_the_same_memory() {
        let memory = create(200_000).unwrap();
        let mut whole = Mapping::new(&memory, 200_000).unwrap();
        whole.contents_mut()[100_001] = 7;
        let part = Mapping::part(&memory, 100_001, 10).unwrap();
        assert_eq!((part.contents()[0], part.contents().len()), (7, 10));
    }

    #[test]
    fn touching_changes_nothing() {
        let memory = create(10_000).unwrap();
        let mut mapping = Mapping::new(&memory, 10_000).unwrap();
        mapping.contents_mut().fill(0xa5);
        touch(mapping.address(), mapping.bytes());
        assert!(mapping.contents().iter().all(|&byte| byte == 0xa5));
    }
}
