//! Linux: `memfd_create(2)`; `MAP_POPULATE` makes the pages present in the process that maps them.

use crate::sys::Unsupported;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr::NonNull;

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

pub(super) fn create(bytes: usize) -> io::Result<OwnedFd> {
    let memory = memfd_create("roundtrip", MemfdFlags::CLOEXEC)?;
    ftruncate(&memory, bytes as u64)?;
    Ok(memory)
}

#[expect(unsafe_code, reason = "mapping memory")]
pub(super) fn map(
    memory: BorrowedFd<'_>,
    offset: usize,
    bytes: usize,
    populate: bool,
) -> io::Result<NonNull<u8>> {
    let flags = MapFlags::SHARED | if populate { MapFlags::POPULATE } else { MapFlags::empty() };
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: no address is asked for, so no existing mapping is replaced.
    let address = unsafe { mmap(std::ptr::null_mut(), bytes, protection, flags, memory, offset as u64) }?;
    NonNull::new(address.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
}

#[expect(unsafe_code, reason = "unmapping memory")]
pub(super) fn unmap(address: NonNull<u8>, bytes: usize) {
    // SAFETY: called once, from the drop of the mapping that owns this range; failure would leave it mapped.
    let _ = unsafe { munmap(address.as_ptr().cast(), bytes) };
}
