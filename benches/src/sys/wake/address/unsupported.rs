//! Systems whose mechanism is not used yet.

use crate::sys::Unsupported;
use std::sync::atomic::AtomicU32;

/// Never.
///
/// # Errors
/// Always: naming the system that has it.
pub fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("futex: only on Linux"))
}

/// Gives the processor away, and returns.
pub fn wait(_word: &AtomicU32, _while_value: u32) {
    std::thread::yield_now();
}

/// Wakes nobody.
pub fn wake_one(_word: &AtomicU32) {}
