//! A number in shared memory that one side raises and the other may sleep for.
//!
//! # Memory order
//! `count` has one writer, which sets its top bit when it leaves. A side publishes with `Release` what the other looks
//! at with `Acquire`. Sleeping is a flag and a re-check: the sleeper raises its flag, then looks again; the other
//! publishes, then looks at the flag. A sequentially consistent fence between the two steps of each side means that at
//! least one of them sees the other (Dekker); the second look is the futex's own, which compares the counter inside the
//! kernel. So no wake-up is lost, and none is sent when nobody sleeps.

use super::closed;
use crate::sys::wake;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// Set in a count once its side is gone. It shares the word, so that leaving, too, changes what a sleeper's futex
/// compares: a flag of its own could be set between a sleeper's look and its sleep.
pub(crate) const GONE: u32 = 1 << 31;

/// One side's number, on cache lines of its own (two lines, because processors fetch them in pairs). Zeroed memory is a
/// valid one.
#[repr(C, align(128))]
pub(crate) struct Counter {
    /// Modulo 2^31, and [`GONE`]. The futex of who waits for this side.
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

    /// Waits until the other side's number is as wanted, and returns it. Fails when the other side left before that.
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
            // Sleeps only if the word, leaving included, is still what was looked at above.
            wake::wait(&self.count, seen);
            us.sleeps.store(0, Ordering::Relaxed);
        }
    }

    /// Publishes this side's number, and wakes the other side if it sleeps for it.
    #[inline]
    pub(crate) fn publish(&self, other: &Self, count: u32) {
        self.count.store(count & !GONE, Ordering::Release);
        fence(Ordering::SeqCst);
        if other.sleeps.load(Ordering::Relaxed) == 1 {
            wake::wake_one(&self.count);
        }
    }

    /// Publishes this side's number to a side that never sleeps for it, because it is told in another way.
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

/// A count after a step of at most 2^31 - 1.
#[inline]
pub(crate) fn advance(count: u32, step: u32) -> u32 {
    count.wrapping_add(step) & !GONE
}
