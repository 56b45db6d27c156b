//! macOS: the processor of a thread can be read (`pthread_cpu_number_np`) but not chosen.

use super::Thread;
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::c_int;
use std::sync::LazyLock;

/// The affinity tags of `mach/thread_policy.h` are only hints to share a cache or not, and Apple silicon rejects them.
const NO_PINNING: &str = "macOS cannot pin threads: affinity tags are hints, and Apple silicon rejects them";

/// See `pthread.h`.
type CpuNumber = unsafe extern "C" fn(number: *mut usize) -> c_int;

/// Since macOS 11.
#[expect(unsafe_code, reason = "a function by its name")]
static CPU_NUMBER: LazyLock<Option<CpuNumber>> = LazyLock::new(|| {
    // SAFETY: the header declares the function of this name with this type.
    unsafe { find(c"pthread_cpu_number_np") }
});

pub(super) fn allowed() -> Result<Vec<u32>, Unsupported> {
    Err(Unsupported::because(NO_PINNING))
}

pub(super) fn pin(_cpu: u32) -> Result<(), Unsupported> {
    Err(Unsupported::because(NO_PINNING))
}

pub(super) fn pin_process(_pid: u32, _cpu: u32) -> Result<(), Unsupported> {
    Err(Unsupported::because(NO_PINNING))
}

/// Not available for threads of other processes.
pub(super) fn threads(_pid: u32) -> Vec<Thread> {
    Vec::new()
}

#[inline]
#[expect(unsafe_code, reason = "a call that is looked up")]
pub(super) fn current() -> Option<u32> {
    let cpu_number = (*CPU_NUMBER)?;
    let mut number = 0;
    // SAFETY: the call writes one number.
    let result = unsafe { cpu_number(&raw mut number) };
    if result == 0 { u32::try_from(number).ok() } else { None }
}

/// Not available; the fingerprint has the performance levels instead.
pub(super) fn core_of(_cpu: u32) -> Option<(u32, u32)> {
    None
}
