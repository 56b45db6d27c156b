//! Unix: mmap(2).

use crate::sys::handle::Handle;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::io;
use std::ptr::NonNull;

/// An offset is a multiple of a page.
pub(super) fn granularity() -> usize {
    rustix::param::page_size()
}

#[expect(unsafe_code, reason = "mapping memory")]
pub(super) fn map(memory: &Handle, offset: usize, bytes: usize, more: MapFlags) -> io::Result<NonNull<u8>> {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    let flags = MapFlags::SHARED | more;
    // SAFETY: no address is asked for, so no existing mapping is replaced.
    let address = unsafe { mmap(std::ptr::null_mut(), bytes, protection, flags, memory, offset as u64) }?;
    NonNull::new(address.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
}

#[expect(unsafe_code, reason = "unmapping memory")]
pub(super) fn unmap(address: NonNull<u8>, bytes: usize) {
    // SAFETY: called once, from the drop of the mapping that owns this range; failure would leave it mapped.
    let _ = unsafe { munmap(address.as_ptr().cast(), bytes) };
}
