//! FIFOs: pipes opened by a path.

use super::Unsupported;
use std::io;
use std::path::Path;

pub(crate) use imp::support;

/// Creates a FIFO that only this user may open.
pub(crate) use imp::create;

#[cfg(unix)]
mod imp {
    //! Unix: `mkfifo` (POSIX), the only call for this on every Unix.

    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    pub(crate) fn support() -> Result<(), Unsupported> {
        Ok(())
    }

    #[expect(unsafe_code, reason = "a call of the C library")]
    pub(crate) fn create(path: &Path) -> io::Result<()> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the pointer is to a NUL-terminated string that outlives the call.
        if unsafe { libc::mkfifo(path.as_ptr(), 0o600) } == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(not(unix))]
mod imp {
    //! Systems without FIFOs.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("Windows has no FIFOs; use named-pipe"))
    }

    missing! { pub(crate) fn create(&Path) -> (); }
}
