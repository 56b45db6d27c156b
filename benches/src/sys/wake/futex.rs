//! Linux: futex(2), without `FUTEX_PRIVATE_FLAG` because the word is shared between processes.

use crate::sys::Unsupported;
use rustix::thread::futex;
use std::sync::atomic::AtomicU32;

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

#[inline]
pub(super) fn wait(word: &AtomicU32, while_value: u32) {
    // EAGAIN (the value has changed) and EINTR both mean: look again, which the caller does.
    let _ = futex::wait(word, futex::Flags::empty(), while_value, None);
}

#[inline]
pub(super) fn wake_one(word: &AtomicU32) {
    // Waking an address in our own mapping cannot fail.
    let _ = futex::wake(word, futex::Flags::empty(), 1);
}
