//! Linux: `futex_waitv(2)` with a single word, without `FUTEX2_PRIVATE` because the word is shared between processes.
//! futex(2) wakes its thread.

use super::{ASLEEP, AWAKE, Mechanism, Spot, futex};
use crate::sys::Unsupported;
use rustix::io::{self, Errno};
use rustix::thread::ClockId;
use rustix::thread::futex::{Wait, WaitFlags, WaitvFlags, waitv};
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;

pub(super) struct FutexWaitv;

impl Mechanism for FutexWaitv {
    fn slug(&self) -> &'static str {
        "futex-waitv"
    }

    fn support(&self) -> Result<(), Unsupported> {
        // Does not wait, because the word has another value.
        match wait(&AtomicU32::new(AWAKE), ASLEEP) {
            Ok(()) | Err(Errno::AGAIN) => Ok(()),
            Err(Errno::NOSYS) => Err(Unsupported::because("futex_waitv needs Linux 5.16 or later")),
            Err(error) => Err(Unsupported::because(format!("futex_waitv failed: {error}"))),
        }
    }

    #[inline]
    fn sleep(&self, spot: &Spot) {
        // EAGAIN (the value has changed) and EINTR both mean that the caller must check again.
        let _ = wait(&spot.word, ASLEEP);
    }

    #[inline]
    fn wake(&self, spot: &Spot) {
        futex::wake_one(&spot.word);
    }
}

#[inline]
fn wait(word: &AtomicU32, while_value: u32) -> io::Result<()> {
    // Without a timeout, the kernel ignores the clock.
    const ANY_CLOCK: ClockId = ClockId::Monotonic;
    let mut wait = Wait::new();
    wait.val = while_value.into();
    wait.uaddr = word.as_ptr().cast::<c_void>().into();
    wait.flags = WaitFlags::SIZE_U32;
    waitv(&[wait], WaitvFlags::empty(), None, ANY_CLOCK).map(drop)
}
