//! macOS: which processor a thread runs on is told (`pthread_cpu_number_np`), and never chosen.

use super::Thread;
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::c_int;
use std::sync::LazyLock;

/// The affinity tags of `mach/thread_policy.h` only ask that threads share a cache or do not, and Apple silicon refuses
/// them.
const NO_PINNING: &str =
    "macOS has no call that pins a thread: its affinity tags are hints, and Apple silicon refuses them";

/// `pthread.h`.
type CpuNumber = unsafe extern "C" fn(number: *mut usize) -> c_int;

/// Since macOS 11.
#[expect(unsafe_code, reason = "a function by its name")]
static CPU_NUMBER: LazyLock<Option<CpuNumber>> = LazyLock::new(|| {
    // SAFETY: the header gives the function of this name this type.
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

/// Of the threads of others it is not told.
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

/// Which processors belong to which core is not told: the fingerprint has the levels of performance.
pub(super) fn core_of(_cpu: u32) -> Option<(u32, u32)> {
    None
}
