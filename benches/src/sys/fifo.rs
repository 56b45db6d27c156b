//! Creating a FIFO: `mkfifo` (POSIX), the one call of its kind that every Unix has.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Creates a FIFO that only this user may open.
///
/// # Errors
/// Of the system, or when the path has a NUL byte in it.
#[expect(unsafe_code, reason = "a call of the C library")]
pub fn create(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the pointer is to a NUL-terminated string that lives over the call.
    if unsafe { libc::mkfifo(path.as_ptr(), 0o600) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
