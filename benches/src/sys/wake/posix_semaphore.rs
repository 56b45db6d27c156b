//! Linux and FreeBSD: an unnamed POSIX semaphore in the shared memory itself (`sem_init` with `pshared`,
//! `sem_overview(7)`).

use super::{Mechanism, Spot, TOKENS_ACCUMULATE};
use crate::sys::Unsupported;
use std::io;
use std::sync::atomic::Ordering;

pub(super) struct PosixSemaphore;

// A spot must have room for a semaphore.
const _: () = assert!(size_of::<libc::sem_t>() <= 32 && align_of::<libc::sem_t>() <= 8);

impl Mechanism for PosixSemaphore {
    fn slug(&self) -> &'static str {
        "posix-semaphore"
    }

    fn unconditional_wake(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(TOKENS_ACCUMULATE))
    }

    #[expect(unsafe_code, reason = "sem_init(3)")]
    fn prepare(&self, spot: &Spot) -> io::Result<()> {
        // The next thread that may sleep here finds the same semaphore.
        if spot.prepared.load(Ordering::Acquire) == 1 {
            return Ok(());
        }
        // SAFETY: the memory is large and aligned enough (above), and no one uses it before it is prepared.
        if unsafe { libc::sem_init(semaphore(spot), 1, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        spot.prepared.store(1, Ordering::Release);
        Ok(())
    }

    #[expect(unsafe_code, reason = "sem_wait(3)")]
    fn sleep(&self, spot: &Spot) {
        // SAFETY: the semaphore is initialized, because the sleeper has prepared the spot.
        // After EINTR, the caller checks again.
        let _ = unsafe { libc::sem_wait(semaphore(spot)) };
    }

    #[expect(unsafe_code, reason = "sem_post(3)")]
    fn wake(&self, spot: &Spot) {
        // SAFETY: the semaphore is initialized: only a thread that has prepared the spot is woken. It cannot overflow:
        // each token is for one time that a thread was about to sleep.
        let _ = unsafe { libc::sem_post(semaphore(spot)) };
    }
}

fn semaphore(spot: &Spot) -> *mut libc::sem_t {
    spot.store.get().cast()
}
