//! Linux, FreeBSD, macOS: a System V semaphore (`semop(2)`). The semaphores of all spots are one set, which the creator
//! of the ring owns, because a set outlives the processes that use it.

use super::{Creator, Mechanism, Spot, TOKENS_ACCUMULATE};
use crate::sys::Unsupported;
use crate::sys::sysv::Objects;
use std::ffi::{c_int, c_short, c_ushort};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct SysvSemaphore;

/// The spots of a pair of rings.
const SEMAPHORES_MAX: usize = 128;

// A spot must have room for a name.
const _: () = assert!(size_of::<AtomicU64>() <= 32 && align_of::<AtomicU64>() <= 8);

impl Mechanism for SysvSemaphore {
    fn slug(&self) -> &'static str {
        "sysv-semaphore"
    }

    fn support(&self) -> Result<(), Unsupported> {
        let created = Objects::new().and_then(|mut objects| objects.create_semaphores(SEMAPHORES_MAX));
        created.map(drop).map_err(|error| {
            Unsupported::because(format!(
                "cannot create a set of {SEMAPHORES_MAX} System V semaphores: {error}"
            ))
        })
    }

    fn unconditional_wake(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(TOKENS_ACCUMULATE))
    }

    fn creator(&self) -> Option<Creator> {
        Some(create)
    }

    fn prepare(&self, spot: &Spot) -> io::Result<()> {
        if spot.prepared.load(Ordering::Acquire) == 1 { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn sleep(&self, spot: &Spot) {
        // After EINTR, the caller checks again. The semaphores are removed only after all members have ended.
        operate(spot, -1);
    }

    fn wake(&self, spot: &Spot) {
        // It cannot overflow: each token is for one time that a thread was about to sleep.
        operate(spot, 1);
    }
}

fn create(spots: &[&Spot]) -> io::Result<Objects> {
    let mut objects = Objects::new()?;
    let set = objects.create_semaphores(spots.len())?;
    for (index, spot) in (0_u32..).zip(spots) {
        name(spot).store(u64::from(set.cast_unsigned()) << 32 | u64::from(index), Ordering::Relaxed);
        spot.prepared.store(1, Ordering::Release);
    }
    Ok(objects)
}

#[inline]
#[expect(unsafe_code, reason = "semop(2)")]
#[expect(clippy::cast_possible_truncation, reason = "a set and an index in one number")]
fn operate(spot: &Spot, change: c_short) {
    let name = name(spot).load(Ordering::Relaxed);
    let set: c_int = ((name >> 32) as u32).cast_signed();
    let mut operation = libc::sembuf { sem_num: name as c_ushort, sem_op: change, sem_flg: 0 };
    // SAFETY: one operation, in a live structure.
    unsafe { libc::semop(set, &raw mut operation, 1) };
}

/// The identifier of the set, and the index in it.
#[expect(unsafe_code, reason = "a part of the spot's memory")]
fn name(spot: &Spot) -> &AtomicU64 {
    // SAFETY: the memory is large and aligned enough (above), lives as long as the spot, and is only used atomically.
    unsafe { AtomicU64::from_ptr(spot.store.get().cast()) }
}
