//! A number in shared memory that one side increases and the other may sleep on.
//!
//! # Memory order
//! `count` has one writer, which sets its top bit when it leaves. A side publishes with `Release`; the other reads with
//! `Acquire`. Sleeping needs a flag and a second check: the sleeper sets its flag, then checks again; the other
//! publishes, then reads the flag. Each side has a sequentially consistent fence between its two steps, so at least one
//! of them sees the other (Dekker). The second check is the futex's own, which compares the counter inside the kernel.
//! So no wake-up is lost, and a wake-up is sent only to a sleeper.

use super::closed;
use crate::sys::wake;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// Set in a count once its side has left. It shares the word, so that leaving also changes the value that a sleeper's
/// futex compares. A separate flag could be set between the sleeper's check and its sleep.
pub(crate) const GONE: u32 = 1 << 31;

/// One side's number, on separate cache lines (two, because processors fetch them in pairs). Zeroed memory is valid.
#[repr(C, align(128))]
pub(crate) struct Counter {
    /// Modulo 2^31, and [`GONE`]. The futex on which the other side sleeps.
    count: AtomicU32,
    /// 1 while this side sleeps, or is about to.
    sleeps: AtomicU32,
}

impl Counter {
    #[inline]
    pub(crate) fn own(&self) -> u32 {
        self.count.load(Ordering::Relaxed) & !GONE
    }

    #[inline]
    pub(crate) fn peek(&self) -> u32 {
        self.count.load(Ordering::Acquire) & !GONE
    }

    /// Waits until the other side's number satisfies the condition, and returns it. Fails if the other side leaves
    /// before that.
    #[inline]
    pub(crate) fn wait_until(&self, us: &Self, wanted: impl Fn(u32) -> bool) -> io::Result<u32> {
        loop {
            let seen = self.count.load(Ordering::Acquire);
            if wanted(seen & !GONE) {
                return Ok(seen & !GONE);
            }
            if seen & GONE != 0 {
                return Err(closed());
            }
            us.sleeps.store(1, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            // Sleeps only if the word, including `GONE`, is still the value checked above.
            wake::wait(&self.count, seen);
            us.sleeps.store(0, Ordering::Relaxed);
        }
    }

    /// Publishes this side's number, and wakes the other side if it sleeps.
    #[inline]
    pub(crate) fn publish(&self, other: &Self, count: u32) {
        self.count.store(count & !GONE, Ordering::Release);
        fence(Ordering::SeqCst);
        if other.sleeps.load(Ordering::Relaxed) == 1 {
            wake::wake_one(&self.count);
        }
    }

    /// Publishes this side's number without waking: for a side that is notified in another way.
    #[inline]
    pub(crate) fn publish_quietly(&self, count: u32) {
        self.count.store(count & !GONE, Ordering::Release);
    }

    pub(crate) fn leave(&self) {
        self.count.fetch_or(GONE, Ordering::SeqCst);
        wake::wake_one(&self.count);
    }
}

#[inline]
pub(crate) fn distance(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) & !GONE
}

/// Returns a count after a step of at most 2^31 - 1.
#[inline]
pub(crate) fn advance(count: u32, step: u32) -> u32 {
    count.wrapping_add(step) & !GONE
}
