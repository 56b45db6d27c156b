//! Unix: `mkfifo` (POSIX), the one call of its kind that every Unix has.

use crate::sys::Unsupported;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

#[expect(unsafe_code, reason = "a call of the C library")]
pub(super) fn create(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the pointer is to a NUL-terminated string that lives over the call.
    if unsafe { libc::mkfifo(path.as_ptr(), 0o600) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
