//! Memory shared between processes through a handle, without a name that a crash could leave behind.

use super::handle::Handle;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

/// Creates zeroed memory of this size.
///
/// # Errors
/// From the system: out of memory or handles.
pub fn create(bytes: usize) -> io::Result<Handle> {
    imp::create(bytes)
}

/// A mapping into this process, writable, its pages present from the start. Unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    address: NonNull<u8>,
    bytes: usize,
    /// Mapped before the requested part, because systems map only from certain offsets.
    before_bytes: usize,
}

// SAFETY: the mapping is plain shared memory; its users coordinate access, with atomics for everything that two sides
// access at the same time.
#[expect(unsafe_code, reason = "a mapping may move to another thread")]
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps the whole of a memory object of this size.
    pub fn new(memory: &Handle, bytes: usize) -> io::Result<Self> {
        Self::part(memory, 0, bytes)
    }

    /// Maps a part of a memory object.
    pub fn part(memory: &Handle, offset: usize, bytes: usize) -> io::Result<Self> {
        Self::map(memory, offset, bytes, true)
    }

    /// Maps it without touching it: each page becomes present when it is first used.
    pub fn untouched(memory: &Handle, bytes: usize) -> io::Result<Self> {
        Self::map(memory, 0, bytes, false)
    }

    #[expect(unsafe_code, reason = "an address in mapped memory")]
    fn map(memory: &Handle, offset: usize, bytes: usize, present: bool) -> io::Result<Self> {
        let before_bytes = offset % imp::granularity();
        let start = imp::map(memory, offset - before_bytes, before_bytes + bytes, present)?;
        // Linux does it while it maps.
        if present && !cfg!(target_os = "linux") {
            touch(start, before_bytes + bytes);
        }
        // SAFETY: at least this many bytes are mapped there.
        Ok(Self { address: unsafe { start.add(before_bytes) }, bytes, before_bytes })
    }

    /// Returns the first byte.
    pub fn address(&self) -> NonNull<u8> {
        self.address
    }

    /// Returns the size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the contents. Another process may be writing there: the caller must know from the transport that the
    /// other side does not write these bytes in the meantime.
    #[expect(unsafe_code, reason = "a view of mapped memory")]
    pub fn contents(&self) -> &[u8] {
        // SAFETY: the range is mapped as long as `self` lives, and every byte of it is initialized: zero at first.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.bytes) }
    }

    /// Returns the contents for writing, on the same condition.
    #[expect(unsafe_code, reason = "a view of mapped memory")]
    pub fn contents_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` makes this the only view in this process.
        unsafe { std::slice::from_raw_parts_mut(self.address.as_ptr(), self.bytes) }
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code, reason = "an address in mapped memory")]
    fn drop(&mut self) {
        // SAFETY: the mapping begins there.
        imp::unmap(unsafe { self.address.sub(self.before_bytes) }, self.before_bytes + self.bytes);
    }
}

/// Makes all pages present without changing their contents, for systems that have no call for it.
#[expect(unsafe_code, reason = "writing to mapped memory")]
fn touch(address: NonNull<u8>, bytes: usize) {
    /// No system has smaller pages.
    const PAGE_BYTES: usize = 4096;
    for offset in (0..bytes).step_by(PAGE_BYTES) {
        // SAFETY: the byte is mapped and writable.
        let byte = unsafe { AtomicU8::from_ptr(address.add(offset).as_ptr()) };
        let found = byte.load(Ordering::Relaxed);
        // A write, unless another process has written in the meantime, which is as good. Adding zero would be optimized
        // to a read.
        let _ = byte.compare_exchange(found, found, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `memfd_create(2)`; `MAP_POPULATE` makes the pages present in the process that maps them.

    use super::*;
    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
    use rustix::mm::MapFlags;

    pub(super) use super::mmap::{granularity, map, unmap};

    pub(super) const PRESENT: MapFlags = MapFlags::POPULATE;

    pub(super) fn create(bytes: usize) -> io::Result<Handle> {
        let memory = memfd_create("roundtrip", MemfdFlags::CLOEXEC)?;
        ftruncate(&memory, bytes as u64)?;
        Ok(memory)
    }
}

#[cfg(any(target_os = "macos", target_os = "freebsd"))]
mod imp {
    //! macOS and FreeBSD: `shm_open` (POSIX). FreeBSD creates one without a name (`SHM_ANON`, `shm_open(2)`); on macOS
    //! the name is removed immediately.

    use super::*;
    use crate::sys::handle::owned;
    use rustix::fs::ftruncate;
    use rustix::io::{FdFlags, fcntl_setfd};
    use rustix::mm::MapFlags;

    pub(super) use super::mmap::{granularity, map, unmap};

    pub(super) const PRESENT: MapFlags = MapFlags::empty();

    pub(super) fn create(bytes: usize) -> io::Result<Handle> {
        let memory = open()?;
        // POSIX requires shm_open to set it; a system that did not would leak it to other peers.
        fcntl_setfd(&memory, FdFlags::CLOEXEC)?;
        ftruncate(&memory, bytes as u64)?;
        Ok(memory)
    }

    #[cfg(target_os = "freebsd")]
    #[expect(unsafe_code, reason = "shm_open")]
    fn open() -> io::Result<Handle> {
        // SAFETY: the path is the constant for an unnamed object.
        let memory = unsafe { libc::shm_open(libc::SHM_ANON, libc::O_RDWR, 0o600) };
        owned(memory)
    }

    #[cfg(not(target_os = "freebsd"))]
    #[expect(unsafe_code, reason = "shm_open and shm_unlink")]
    fn open() -> io::Result<Handle> {
        // At most 31 bytes (PSHMNAMLEN in sys/posix_shm.h).
        let name = std::ffi::CString::new(format!("/roundtrip-{:016x}", rand::random::<u64>()))?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
        // SAFETY: the name is NUL-terminated. The mode is passed as an int, like every variadic argument of its size.
        let memory = unsafe { libc::shm_open(name.as_ptr(), flags, 0o600 as libc::c_uint) };
        let memory = owned(memory)?;
        // SAFETY: as above. Without its name, it ends with its last descriptor.
        unsafe { libc::shm_unlink(name.as_ptr()) };
        Ok(memory)
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: a file mapping without a file or a name (`CreateFileMappingW` and `MapViewOfFile` in `memoryapi.h`).

    use super::*;
    use std::ptr;
    use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
    use windows_sys::Win32::System::Memory::{
        CreateFileMappingW, FILE_MAP_ALL_ACCESS, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, PAGE_READWRITE,
        UnmapViewOfFile,
    };

    /// An offset is a multiple of the allocation granularity: 64 KiB on every Windows (`SYSTEM_INFO` in
    /// `sysinfoapi.h`).
    pub(super) fn granularity() -> usize {
        64 * 1024
    }

    /// The two halves of a 64-bit number.
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
        crate::sys::process::owned(section).map(Handle::Object)
    }

    #[expect(unsafe_code, reason = "MapViewOfFile")]
    pub(super) fn map(
        memory: &Handle,
        offset: usize,
        bytes: usize,
        _present: bool,
    ) -> io::Result<NonNull<u8>> {
        let (high, low) = halves(offset);
        // SAFETY: no address is requested, so no existing mapping is replaced.
        let view = unsafe { MapViewOfFile(memory.object()?, FILE_MAP_ALL_ACCESS, high, low, bytes) };
        NonNull::new(view.Value.cast()).ok_or_else(io::Error::last_os_error)
    }

    #[expect(unsafe_code, reason = "UnmapViewOfFile")]
    pub(super) fn unmap(address: NonNull<u8>, _bytes: usize) {
        let view = MEMORY_MAPPED_VIEW_ADDRESS { Value: address.as_ptr().cast() };
        // SAFETY: called once, when the mapping that owns this view is dropped; failure would leave it mapped.
        let _ = unsafe { UnmapViewOfFile(view) };
    }
}

#[cfg(unix)]
mod mmap {
    //! Unix: mmap(2).

    use super::*;
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

    /// An offset is a multiple of a page.
    pub(super) fn granularity() -> usize {
        rustix::param::page_size()
    }

    #[expect(unsafe_code, reason = "mapping memory")]
    pub(super) fn map(
        memory: &Handle,
        offset: usize,
        bytes: usize,
        present: bool,
    ) -> io::Result<NonNull<u8>> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | if present { imp::PRESENT } else { MapFlags::empty() };
        // SAFETY: no address is requested, so no existing mapping is replaced.
        let address = unsafe { mmap(std::ptr::null_mut(), bytes, protection, flags, memory, offset as u64) }?;
        NonNull::new(address.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
    }

    #[expect(unsafe_code, reason = "unmapping memory")]
    pub(super) fn unmap(address: NonNull<u8>, bytes: usize) {
        // SAFETY: called once, when the mapping that owns this range is dropped; failure would leave it mapped.
        let _ = unsafe { munmap(address.as_ptr().cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_maps_the_same_memory_at_any_offset() {
        let memory = create(200_000).unwrap();
        let mut whole = Mapping::new(&memory, 200_000).unwrap();
        whole.contents_mut()[100_001] = 7;
        let part = Mapping::part(&memory, 100_001, 10).unwrap();
        assert_eq!((part.contents()[0], part.contents().len()), (7, 10));
    }

    #[test]
    fn touching_changes_nothing() {
        let memory = create(10_000).unwrap();
        let mut mapping = Mapping::new(&memory, 10_000).unwrap();
        mapping.contents_mut().fill(0xa5);
        touch(mapping.address(), mapping.bytes());
        assert!(mapping.contents().iter().all(|&byte| byte == 0xa5));
    }
}
