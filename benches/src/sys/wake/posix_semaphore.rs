//! Linux and FreeBSD: an unnamed POSIX semaphore in the shared memory itself (`sem_init` with `pshared`,
//! `sem_overview(7)`).

use super::{KEEPS, Mechanism, Spot};
use crate::sys::Unsupported;
use std::io;
use std::sync::atomic::Ordering;

pub(super) struct PosixSemaphore;

// A semaphore must fit where a spot keeps it.
const _: () = assert!(size_of::<libc::sem_t>() <= 32 && align_of::<libc::sem_t>() <= 8);

impl Mechanism for PosixSemaphore {
    fn slug(&self) -> &'static str {
        "posix-semaphore"
    }

    fn unasked(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(KEEPS))
    }

    #[expect(unsafe_code, reason = "sem_init(3)")]
    fn settle(&self, spot: &Spot) -> io::Result<()> {
        // Whoever may sleep here next finds the same semaphore.
        if spot.settled.load(Ordering::Acquire) == 1 {
            return Ok(());
        }
        // SAFETY: the memory is large and aligned enough (above), and nobody uses it before it is settled.
        if unsafe { libc::sem_init(semaphore(spot), 1, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        spot.settled.store(1, Ordering::Release);
        Ok(())
    }

    #[expect(unsafe_code, reason = "sem_wait(3)")]
    fn sleep(&self, spot: &Spot) {
        // SAFETY: the semaphore is initialised, because who sleeps has settled the spot.
        // EINTR means: look again, which who calls does.
        let _ = unsafe { libc::sem_wait(semaphore(spot)) };
    }

    #[expect(unsafe_code, reason = "sem_post(3)")]
    fn wake(&self, spot: &Spot) {
        // SAFETY: the semaphore is initialised: nobody is woken who has not settled the spot. Too many tokens cannot
        // be: each stands for one time that somebody was about to sleep.
        let _ = unsafe { libc::sem_post(semaphore(spot)) };
    }
}

fn semaphore(spot: &Spot) -> *mut libc::sem_t {
    spot.store.get().cast()
}
