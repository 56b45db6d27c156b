//! FIFOs: pipes that are opened by a path.

use super::Unsupported;
use std::io;
use std::path::Path;

pub(crate) use imp::support;

/// Creates a FIFO that only this user may open.
pub(crate) use imp::create;

#[cfg(unix)]
mod imp {
    //! Unix: `mkfifo` (POSIX), the one call of its kind that every Unix has.

    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    pub(crate) fn support() -> Result<(), Unsupported> {
        Ok(())
    }

    #[expect(unsafe_code, reason = "a call of the C library")]
    pub(crate) fn create(path: &Path) -> io::Result<()> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the pointer is to a NUL-terminated string that lives over the call.
        if unsafe { libc::mkfifo(path.as_ptr(), 0o600) } == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(not(unix))]
mod imp {
    //! Systems that have none.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("FIFOs: not on Windows, whose pipe with a name is named-pipe"))
    }

    pub(crate) fn create(_path: &Path) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}
