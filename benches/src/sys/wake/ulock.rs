//! macOS: `__ulock_wait` and `__ulock_wake`, with which the locks of the system itself sleep. No header of
//! the SDK declares them (`bsd/sys/ulock.h` of the kernel does), so they are looked up when first needed.

use super::{ASLEEP, Mechanism, Spot};
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps while 32 bits have a value, in memory that processes share: since macOS 10.15 (`bsd/sys/ulock.h`).
const UL_COMPARE_AND_WAIT_SHARED: u32 = 3;
/// An error is returned negated instead of being put into `errno` (`bsd/sys/ulock.h`).
const ULF_NO_ERRNO: u32 = 0x0100_0000;

const OPERATION: u32 = UL_COMPARE_AND_WAIT_SHARED | ULF_NO_ERRNO;

type Wait =
    unsafe extern "C" fn(operation: u32, address: *mut c_void, value: u64, microseconds: u32) -> c_int;
type Wake = unsafe extern "C" fn(operation: u32, address: *mut c_void, value: u64) -> c_int;

struct Calls {
    wait: Wait,
    wake: Wake,
}

static CALLS: LazyLock<Option<Calls>> = LazyLock::new(look_up);

pub(super) struct Ulock;

impl Mechanism for Ulock {
    fn slug(&self) -> &'static str {
        "ulock"
    }

    fn support(&self) -> Result<(), Unsupported> {
        let Some(calls) = &*CALLS else {
            return Err(Unsupported::because("ulock: this macOS has no __ulock_wait and __ulock_wake"));
        };
        // Nobody sleeps at this word, so the answer is ENOENT, unless the operation itself is unknown.
        match wake(calls, &AtomicU32::new(super::AWAKE)) {
            code if code == -libc::EINVAL => {
                Err(Unsupported::because("ulock: between processes only since macOS 10.15"))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn sleep(&self, spot: &Spot, patience: Option<Duration>) -> bool {
        // Where there are no calls, who asks for support does not come here.
        let Some(calls) = &*CALLS else { return false };
        // 0 is for ever.
        let microseconds =
            |patience: Duration| u32::try_from(patience.as_micros()).unwrap_or(u32::MAX).max(1);
        let patience = patience.map_or(0, microseconds);
        // SAFETY: the word is alive for the call, which only reads it.
        let result = unsafe { (calls.wait)(OPERATION, spot.word.as_ptr().cast(), ASLEEP.into(), patience) };
        // All else, EINTR or that the word has changed, means: look again, which who calls does.
        result == -libc::ETIMEDOUT
    }

    #[inline]
    fn wake(&self, spot: &Spot) {
        if let Some(calls) = &*CALLS {
            // ENOENT means that nobody sleeps. The system's own locks repeat an interrupted wake-up.
            while wake(calls, &spot.word) == -libc::EINTR {}
        }
    }
}

/// Wakes one sleeper at this word, and returns 0 or a negated error.
#[expect(unsafe_code, reason = "a call that is looked up")]
fn wake(calls: &Calls, word: &AtomicU32) -> c_int {
    // SAFETY: the word is alive for the call, which only takes its address.
    unsafe { (calls.wake)(OPERATION, word.as_ptr().cast(), 0) }
}

#[expect(unsafe_code, reason = "functions by their names")]
fn look_up() -> Option<Calls> {
    let (wait, wake) = (find(c"__ulock_wait")?, find(c"__ulock_wake")?);
    // SAFETY: the kernel's header gives the functions of these names these types.
    unsafe {
        Some(Calls {
            wait: std::mem::transmute::<NonNull<c_void>, Wait>(wait),
            wake: std::mem::transmute::<NonNull<c_void>, Wake>(wake),
        })
    }
}
