//! Linux: futex(2), without `FUTEX_PRIVATE_FLAG` because the word is shared between processes.

use super::{ASLEEP, Mechanism, Spot};
use crate::sys::Unsupported;
use rustix::thread::futex;
use std::sync::atomic::AtomicU32;

/// Checks that a word of shared memory can be waited on here.
pub fn support() -> Result<(), Unsupported> {
    Ok(())
}

/// Sleeps while the word has this value; may also return spuriously, so callers check again.
#[inline]
pub fn wait(word: &AtomicU32, while_value: u32) {
    // EAGAIN (the value has changed) and EINTR both mean that the caller must check again.
    let _ = futex::wait(word, futex::Flags::empty(), while_value, None);
}

/// Wakes one sleeper on this word.
#[inline]
pub fn wake_one(word: &AtomicU32) {
    // Waking an address in a mapping of this process cannot fail.
    let _ = futex::wake(word, futex::Flags::empty(), 1);
}

pub(super) struct Futex;

impl Mechanism for Futex {
    fn slug(&self) -> &'static str {
        "futex"
    }

    #[inline]
    fn sleep(&self, spot: &Spot) {
        wait(&spot.word, ASLEEP);
    }

    #[inline]
    fn wake(&self, spot: &Spot) {
        wake_one(&spot.word);
    }
}
