//! Windows: handles, and other processes by their number (`processthreadsapi.h`).

use std::io;
use std::os::windows::io::{FromRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Threading::{OpenProcess, PROCESS_ACCESS_RIGHTS};

/// Takes over a handle that a call has just created, unless it failed.
#[expect(unsafe_code, reason = "taking a handle")]
pub(super) fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nothing else closes it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// A text as the system's calls take it, with a zero at its end.
pub(super) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// Opens the process with this number, with these rights.
#[expect(unsafe_code, reason = "OpenProcess")]
pub(super) fn open(id: u32, rights: PROCESS_ACCESS_RIGHTS) -> io::Result<OwnedHandle> {
    const NOT_INHERITED: i32 = 0;
    // SAFETY: takes numbers.
    owned(unsafe { OpenProcess(rights, NOT_INHERITED, id) })
}
