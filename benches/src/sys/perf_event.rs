//! `perf_event_open(2)`, for counters and profiles.

use super::handle::owned;
use std::fs;
use std::io;
use std::mem::size_of;
use std::os::fd::{OwnedFd, RawFd};

/// The layout of `struct perf_event_attr` in Linux 4.1, which later kernels accept.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes {
    pub(super) kind: u32,
    pub(super) size_bytes: u32,
    pub(super) config: u64,
    pub(super) sample_period: u64,
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    pub(super) flags: u64,
    pub(super) wakeup_bytes: u32,
    pub(super) breakpoint_type: u32,
    pub(super) configs: [u64; 2],
    pub(super) branches: u64,
    pub(super) user_registers: u64,
    pub(super) user_stack_bytes: u32,
    pub(super) clock: i32,
}

// Numbers from <linux/perf_event.h>, which are part of the kernel's interface.
pub(super) const SOFTWARE: u32 = 1;
pub(super) const CONTEXT_SWITCHES: u64 = 3;
pub(super) const DISABLED: u64 = 1;
pub(super) const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const SIZE_BYTES: u32 = 96;
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// Opens an event for a thread, 0 for the calling one, or for all; on one processor or any.
#[expect(unsafe_code, reason = "the C library has no function for this system call")]
pub(super) fn open(attributes: Attributes, thread: Option<u32>, cpu: Option<u32>) -> io::Result<OwnedFd> {
    const { assert!(size_of::<Attributes>() == SIZE_BYTES as usize) };
    let attributes = Attributes { size_bytes: SIZE_BYTES, ..attributes };
    let number = |number: u32| libc::c_int::try_from(number).map_err(io::Error::other);
    let (thread, cpu, no_group): (libc::pid_t, libc::c_int, libc::c_int) =
        (thread.map_or(Ok(-1), number)?, cpu.map_or(Ok(-1), number)?, -1);
    // SAFETY: the kernel reads as many bytes of the live structure as its size field states, which is its size.
    let event = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, thread, cpu, no_group, CLOSE_ON_EXEC)
    };
    owned(RawFd::try_from(event).unwrap_or(-1))
}

/// The setting `kernel.perf_event_paranoid`; empty if it cannot be read.
pub(super) fn paranoid() -> String {
    let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    level.trim().to_owned()
}
