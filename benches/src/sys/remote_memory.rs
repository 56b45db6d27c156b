//! Reading another process's memory without its help.

use super::Unsupported;
use std::io;

pub(crate) use imp::support;

/// Lets any process of this user read this one's memory and copy its descriptors if a security module would forbid it.
pub(crate) use imp::permit;

/// Fills the buffer from another process's memory at this address.
pub(crate) use imp::read;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `process_vm_readv(2)`; the permission is that of ptrace(2), so Yama may require `PR_SET_PTRACER`.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        let source = [1_u8; 16];
        read(std::process::id(), source.as_ptr().addr() as u64, &mut [0; 16]).map_err(|error| {
            Unsupported::because(format!(
                "process_vm_readv failed ({error}): possibly blocked by a seccomp filter"
            ))
        })
    }

    #[expect(unsafe_code, reason = "prctl takes plain numbers")]
    pub(crate) fn permit() {
        // SAFETY: changes only the permission to trace this process. Fails without Yama, which then forbids nothing.
        let _ = unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "the kernel fills the buffer")]
    pub(crate) fn read(process: u32, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        let process = libc::pid_t::try_from(process).map_err(io::Error::other)?;
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &mut buffer[filled..];
            let local = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
            let from = usize::try_from(address).map_err(io::Error::other)? + filled;
            let remote =
                libc::iovec { iov_base: std::ptr::without_provenance_mut(from), iov_len: rest.len() };
            // SAFETY: the local vector is a live buffer of that length; the remote one is checked by the kernel.
            let read =
                unsafe { libc::process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0) };
            match usize::try_from(read) {
                Ok(0) => return Err(crate::sys::closed()),
                Ok(read) => filled += read,
                Err(_) => return Err(gone_or(io::Error::last_os_error())),
            }
        }
        Ok(())
    }

    /// The process may have ended after sending the address.
    fn gone_or(error: io::Error) -> io::Error {
        if error.raw_os_error() == Some(libc::ESRCH) { crate::sys::closed() } else { error }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without an implementation yet.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("process_vm_readv exists only on Linux"))
    }

    pub(crate) fn permit() {}

    missing! { pub(crate) fn read(u32, u64, &mut [u8]) -> (); }
}
