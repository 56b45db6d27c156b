//! macOS: a semaphore of the Mach kernel (`mach/semaphore.h`, and `mach/task.h` for `semaphore_create`). All
//! of it is public, so that a program of the App Store may use it.
//!
//! The spot keeps the name of the semaphore's port. A spot does not say when it ends, so the semaphore lives
//! as long as the process that made it.

use super::{Mechanism, Spot};
use crate::sys::Unsupported;
use mach2::clock_types::mach_timespec_t;
use mach2::kern_return::{KERN_OPERATION_TIMED_OUT, KERN_SUCCESS};
use mach2::mach_types::{SEMAPHORE_NULL, semaphore_t};
use mach2::semaphore::{semaphore_create, semaphore_signal, semaphore_timedwait, semaphore_wait};
use mach2::sync_policy::SYNC_POLICY_FIFO;
use mach2::traps::mach_task_self;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub(super) struct MachSemaphore;

// The name of a port must fit where a spot keeps it.
const _: () =
    assert!(size_of::<semaphore_t>() == 4 && size_of::<AtomicU32>() <= 32 && align_of::<AtomicU32>() <= 8);

impl Mechanism for MachSemaphore {
    fn slug(&self) -> &'static str {
        "mach-semaphore"
    }

    fn between_processes(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "a Mach semaphore is a port, named within one process: its right is not passed to another yet",
        ))
    }

    fn unasked(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "a semaphore keeps every wake-up that nobody waited for: nobody would sleep any more",
        ))
    }

    #[expect(unsafe_code, reason = "semaphore_create")]
    fn settle(&self, spot: &Spot) -> io::Result<()> {
        if spot.settled.load(Ordering::Acquire) == 1 {
            return Ok(());
        }
        let mut semaphore: semaphore_t = SEMAPHORE_NULL;
        // SAFETY: the call writes one name; the task is our own.
        let result = unsafe { semaphore_create(mach_task_self(), &raw mut semaphore, SYNC_POLICY_FIFO, 0) };
        if result != KERN_SUCCESS {
            return Err(io::Error::other(format!("semaphore_create: kern_return_t {result}")));
        }
        name(spot).store(semaphore, Ordering::Relaxed);
        spot.settled.store(1, Ordering::Release);
        Ok(())
    }

    #[expect(unsafe_code, reason = "semaphore_wait")]
    fn sleep(&self, spot: &Spot, patience: Option<Duration>) -> bool {
        let name = name(spot).load(Ordering::Relaxed);
        let Some(patience) = patience else {
            // SAFETY: takes a name; a name that is no semaphore is an error.
            let _ = unsafe { semaphore_wait(name) };
            return false;
        };
        // From now on; no time at all means not to block.
        let patience = mach_timespec_t {
            tv_sec: u32::try_from(patience.as_secs()).unwrap_or(u32::MAX),
            tv_nsec: patience.subsec_nanos().cast_signed(),
        };
        // SAFETY: takes a name and a time; a name that is no semaphore is an error.
        let result = unsafe { semaphore_timedwait(name, patience) };
        // KERN_ABORTED, by a signal, means: look again, which who calls does.
        result == KERN_OPERATION_TIMED_OUT
    }

    #[expect(unsafe_code, reason = "semaphore_signal")]
    fn wake(&self, spot: &Spot) {
        // SAFETY: takes a name; a name that is no semaphore is an error, but nobody is woken who has not
        // settled the spot.
        let _ = unsafe { semaphore_signal(name(spot).load(Ordering::Relaxed)) };
    }
}

/// The name of the semaphore's port. Who wakes has seen the word of who sleeps, which came after it.
#[expect(unsafe_code, reason = "a part of the spot's memory")]
fn name(spot: &Spot) -> &AtomicU32 {
    // SAFETY: the memory is large and aligned enough (above), lives as long as the spot, and is only used
    // atomically.
    unsafe { AtomicU32::from_ptr(spot.store.get().cast()) }
}
