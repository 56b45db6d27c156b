//! Linux: `memfd_create(2)`; `MAP_POPULATE` makes the pages present in the process that maps them.

use super::mmap;
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::MapFlags;
use std::io;
use std::ptr::NonNull;

pub(super) use super::mmap::{granularity, unmap};

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

pub(super) fn create(bytes: usize) -> io::Result<Handle> {
    let memory = memfd_create("roundtrip", MemfdFlags::CLOEXEC)?;
    ftruncate(&memory, bytes as u64)?;
    Ok(memory)
}

pub(super) fn map(memory: &Handle, offset: usize, bytes: usize, present: bool) -> io::Result<NonNull<u8>> {
    mmap::map(memory, offset, bytes, if present { MapFlags::POPULATE } else { MapFlags::empty() })
}
