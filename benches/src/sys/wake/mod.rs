//! Sleeping until another process changes a word in shared memory, and waking who sleeps there.

use super::Unsupported;
use std::sync::atomic::AtomicU32;

#[cfg_attr(target_os = "linux", path = "futex.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Whether the mechanism exists here.
///
/// # Errors
/// The reason where it does not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Sleeps while the word has this value; may also return for no reason, so callers check again.
#[inline]
pub fn wait(word: &AtomicU32, while_value: u32) {
    imp::wait(word, while_value);
}

/// Wakes one sleeper at this word.
#[inline]
pub fn wake_one(word: &AtomicU32) {
    imp::wake_one(word);
}
