//! Linux and FreeBSD: an unnamed POSIX semaphore in the shared memory itself (`sem_init` with `pshared`,
//! `sem_overview(7)`).

use super::{Mechanism, Spot};
use crate::sys::Unsupported;
use std::io;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(super) struct PosixSemaphore;

// A semaphore must fit where a spot keeps it.
const _: () = assert!(size_of::<libc::sem_t>() <= 32 && align_of::<libc::sem_t>() <= 8);

impl Mechanism for PosixSemaphore {
    fn slug(&self) -> &'static str {
        "posix-semaphore"
    }

    fn unasked(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "a semaphore keeps every wake-up that nobody waited for: nobody would sleep any more",
        ))
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
    fn sleep(&self, spot: &Spot, patience: Option<Duration>) -> bool {
        let until = patience.map(deadline);
        let waited = match &until {
            // SAFETY: the semaphore is initialised, because who sleeps has settled the spot.
            Some(until) => unsafe { libc::sem_timedwait(semaphore(spot), until) },
            // SAFETY: as above.
            None => unsafe { libc::sem_wait(semaphore(spot)) },
        };
        // EINTR means: look again, which who calls does.
        waited != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT)
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

/// `sem_timedwait` takes a time of the real-time clock: should that be set meanwhile, patience ends early or late, and
/// who calls looks again either way.
#[expect(unsafe_code, reason = "clock_gettime(2)")]
fn deadline(patience: Duration) -> libc::timespec {
    let mut now = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the call fills the structure, and cannot fail with this clock.
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME, now.as_mut_ptr());
        now.assume_init()
    };
    let sum = Duration::new(
        u64::try_from(now.tv_sec).unwrap_or_default(),
        u32::try_from(now.tv_nsec).unwrap_or_default(),
    ) + patience;
    libc::timespec {
        tv_sec: libc::time_t::try_from(sum.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::from(i32::try_from(sum.subsec_nanos()).unwrap_or_default()),
    }
}
