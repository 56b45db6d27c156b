//! Systems whose mechanism is not used yet.

use crate::sys::Unsupported;
use std::sync::atomic::AtomicU32;

pub fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("futex: only on Linux"))
}

pub fn wait(_word: &AtomicU32, _while_value: u32) {
    std::thread::yield_now();
}

pub fn wake_one(_word: &AtomicU32) {}
