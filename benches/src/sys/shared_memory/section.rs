//! Windows: a file mapping without a file or a name (`CreateFileMappingW` and `MapViewOfFile` in `memoryapi.h`).

use super::touch;
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;
use std::os::windows::io::{FromRawHandle, OwnedHandle};
use std::ptr::{self, NonNull};
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_ALL_ACCESS, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, PAGE_READWRITE,
    UnmapViewOfFile,
};

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

/// An offset is a multiple of the allocation granularity: 64 KiB on every Windows (`SYSTEM_INFO` in `sysinfoapi.h`).
pub(super) fn granularity() -> usize {
    64 * 1024
}

/// The two halves of a number of 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "halves are meant")]
fn halves(number: usize) -> (u32, u32) {
    let number = number as u64;
    ((number >> 32) as u32, number as u32)
}

#[expect(unsafe_code, reason = "CreateFileMappingW")]
pub(super) fn create(bytes: usize) -> io::Result<Handle> {
    let (high, low) = halves(bytes);
    // SAFETY: no file, no attributes, no name: only numbers.
    let section = unsafe {
        CreateFileMappingW(INVALID_HANDLE_VALUE, ptr::null(), PAGE_READWRITE, high, low, ptr::null())
    };
    if section.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    Ok(Handle::Object(unsafe { OwnedHandle::from_raw_handle(section) }))
}

#[expect(unsafe_code, reason = "MapViewOfFile")]
pub(super) fn map(memory: &Handle, offset: usize, bytes: usize, present: bool) -> io::Result<NonNull<u8>> {
    let (high, low) = halves(offset);
    // SAFETY: no address is asked for, so no existing mapping is replaced.
    let view = unsafe { MapViewOfFile(memory.object()?, FILE_MAP_ALL_ACCESS, high, low, bytes) };
    let address = NonNull::new(view.Value.cast()).ok_or_else(io::Error::last_os_error)?;
    if present {
        touch(address, bytes);
    }
    Ok(address)
}

#[expect(unsafe_code, reason = "UnmapViewOfFile")]
pub(super) fn unmap(address: NonNull<u8>, _bytes: usize) {
    let view = MEMORY_MAPPED_VIEW_ADDRESS { Value: address.as_ptr().cast() };
    // SAFETY: called once, from the drop of the mapping that owns this view; failure would leave it mapped.
    let _ = unsafe { UnmapViewOfFile(view) };
}
