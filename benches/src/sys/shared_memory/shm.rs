//! macOS and FreeBSD: `shm_open` (POSIX). FreeBSD makes one without a name (`SHM_ANON`, `shm_open(2)`); on macOS the name is
//! taken away at once.

use super::{mmap, touch};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use rustix::fs::ftruncate;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mm::MapFlags;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr::NonNull;

pub(super) use super::mmap::{granularity, unmap};

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

pub(super) fn create(bytes: usize) -> io::Result<Handle> {
    let memory = open()?;
    // POSIX has shm_open set it; a system that did not would leak it to other peers.
    fcntl_setfd(&memory, FdFlags::CLOEXEC)?;
    ftruncate(&memory, bytes as u64)?;
    Ok(memory)
}

pub(super) fn map(memory: &Handle, offset: usize, bytes: usize, present: bool) -> io::Result<NonNull<u8>> {
    let address = mmap::map(memory, offset, bytes, MapFlags::empty())?;
    if present {
        touch(address, bytes);
    }
    Ok(address)
}

#[cfg(target_os = "freebsd")]
#[expect(unsafe_code, reason = "shm_open")]
fn open() -> io::Result<OwnedFd> {
    // SAFETY: the path is the constant that stands for no name.
    let memory = unsafe { libc::shm_open(libc::SHM_ANON, libc::O_RDWR, 0o600) };
    owned(memory)
}

#[cfg(not(target_os = "freebsd"))]
#[expect(unsafe_code, reason = "shm_open and shm_unlink")]
fn open() -> io::Result<OwnedFd> {
    // At most 31 bytes (PSHMNAMLEN in sys/posix_shm.h).
    let name = std::ffi::CString::new(format!("/roundtrip-{:016x}", rand::random::<u64>()))?;
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
    // SAFETY: the name is NUL-terminated. The mode goes through an int, as every variadic argument of its size.
    let memory = unsafe { libc::shm_open(name.as_ptr(), flags, 0o600 as libc::c_uint) };
    let memory = owned(memory)?;
    // SAFETY: as above. Without its name it ends with its last descriptor.
    unsafe { libc::shm_unlink(name.as_ptr()) };
    Ok(memory)
}

#[expect(unsafe_code, reason = "a number becomes a descriptor")]
fn owned(number: libc::c_int) -> io::Result<OwnedFd> {
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nobody else closes it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
