//! The capacity of a pipe.

use super::Unsupported;
use super::handle::Handle;
use std::io;

pub(crate) use imp::support;

/// Requests a pipe that holds this many bytes. The system may round up.
pub(crate) use imp::set;

/// Returns its capacity in bytes, if the system provides it.
pub(crate) use imp::get;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `F_SETPIPE_SZ` and `F_GETPIPE_SZ` (fcntl(2), pipe(7)). Rounded up to a power of two of pages; without
    //! privilege at most `/proc/sys/fs/pipe-max-size`.

    use super::*;
    use rustix::pipe::{PipeFlags, fcntl_getpipe_size, fcntl_setpipe_size, pipe_with};

    pub(crate) fn support(bytes: usize) -> Result<(), Unsupported> {
        let tried = pipe_with(PipeFlags::CLOEXEC)
            .map_err(io::Error::from)
            .and_then(|(_, writer)| set(&writer, bytes));
        tried.map_err(|error| {
            let max = std::fs::read_to_string("/proc/sys/fs/pipe-max-size").unwrap_or_default();
            Unsupported::because(format!(
                "pipe of {bytes} B rejected ({error}): fs.pipe-max-size is {}",
                max.trim()
            ))
        })
    }

    pub(crate) fn set(pipe: &Handle, bytes: usize) -> io::Result<()> {
        fcntl_setpipe_size(pipe, bytes)?;
        Ok(())
    }

    pub(crate) fn get(pipe: &Handle) -> Option<u64> {
        fcntl_getpipe_size(pipe).ok().map(|bytes| bytes as u64)
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: `GetNamedPipeInfo` (`namedpipeapi.h`), also for anonymous pipes. A pipe's size is set at creation.

    use super::*;
    use std::ptr;
    use windows_sys::Win32::System::Pipes::GetNamedPipeInfo;

    pub(crate) fn support(_bytes: usize) -> Result<(), Unsupported> {
        Err(Unsupported::because("the size of an existing pipe can be set only on Linux"))
    }

    missing! { pub(crate) fn set(&Handle, usize) -> (); }

    #[expect(unsafe_code, reason = "GetNamedPipeInfo")]
    pub(crate) fn get(pipe: &Handle) -> Option<u64> {
        let (mut out, mut into) = (0, 0);
        let (no_flags, no_instances) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the handle is open, and the call writes two numbers.
        let result = unsafe {
            GetNamedPipeInfo(pipe.object().ok()?, no_flags, &raw mut out, &raw mut into, no_instances)
        };
        // One of the two directions is not used.
        (result != 0).then(|| u64::from(out.max(into)))
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod imp {
    //! Systems with a fixed pipe size.

    use super::*;
    pub(crate) fn support(_bytes: usize) -> Result<(), Unsupported> {
        Err(Unsupported::because("the size of a pipe can be set only on Linux"))
    }

    missing! { pub(crate) fn set(&Handle, usize) -> (); }

    pub(crate) fn get(_pipe: &Handle) -> Option<u64> {
        None
    }
}
