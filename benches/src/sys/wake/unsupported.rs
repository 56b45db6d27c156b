//! Systems whose mechanism is not used yet.

use crate::sys::Unsupported;
use std::sync::atomic::AtomicU32;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("futex: only on Linux"))
}

pub(super) fn wait(_word: &AtomicU32, _while_value: u32) {
    std::thread::yield_now();
}

pub(super) fn wake_one(_word: &AtomicU32) {}
