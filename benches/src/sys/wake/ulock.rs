//! macOS: `__ulock_wait` and `__ulock_wake`, which the system's own locks use to sleep. No header in the SDK declares
//! them (`bsd/sys/ulock.h` in the kernel does), so they are looked up when first needed.

use super::{ASLEEP, Mechanism, Spot};
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::{c_int, c_void};
use std::sync::LazyLock;
use std::sync::atomic::AtomicU32;

/// Sleeps while 32 bits have a value, in memory shared by processes: since macOS 10.15 (`bsd/sys/ulock.h`).
const UL_COMPARE_AND_WAIT_SHARED: u32 = 3;
/// Returns an error negated instead of setting `errno` (`bsd/sys/ulock.h`).
const ULF_NO_ERRNO: u32 = 0x0100_0000;

const OPERATION: u32 = UL_COMPARE_AND_WAIT_SHARED | ULF_NO_ERRNO;

/// Operation, address, value, microseconds.
type Wait = unsafe extern "C" fn(u32, *mut c_void, u64, u32) -> c_int;
/// Operation, address, value.
type Wake = unsafe extern "C" fn(u32, *mut c_void, u64) -> c_int;

#[expect(unsafe_code, reason = "functions by their names")]
static CALLS: LazyLock<Option<(Wait, Wake)>> = LazyLock::new(|| {
    // SAFETY: the kernel's header declares the functions of these names with these types.
    unsafe { find(c"__ulock_wait").zip(find(c"__ulock_wake")) }
});

pub(super) struct Ulock;

impl Mechanism for Ulock {
    fn slug(&self) -> &'static str {
        "ulock"
    }

    fn support(&self) -> Result<(), Unsupported> {
        // Nothing sleeps on this word, so the result is ENOENT, unless the operation itself is unknown.
        match CALLS.map(|(_, call)| wake(call, &AtomicU32::new(super::AWAKE))) {
            None => Err(Unsupported::because("this macOS has no __ulock_wait and __ulock_wake")),
            Some(code) if code == -libc::EINVAL => {
                Err(Unsupported::because("ulock between processes needs macOS 10.15"))
            }
            Some(_) => Ok(()),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn sleep(&self, spot: &Spot) {
        const FOR_EVER: u32 = 0;
        // Without the calls, callers that check support do not come here.
        let Some((wait, _)) = *CALLS else { return };
        // SAFETY: the word is alive for the call, which only reads it.
        // After EINTR, or if the word has changed, the caller checks again.
        let _ = unsafe { wait(OPERATION, spot.word.as_ptr().cast(), ASLEEP.into(), FOR_EVER) };
    }

    #[inline]
    fn wake(&self, spot: &Spot) {
        if let Some((_, call)) = *CALLS {
            // ENOENT means that nothing sleeps there. The system's own locks repeat an interrupted wake-up.
            while wake(call, &spot.word) == -libc::EINTR {}
        }
    }
}

/// Wakes one sleeper on this word, and returns 0 or a negated error.
#[expect(unsafe_code, reason = "a call that is looked up")]
fn wake(call: Wake, word: &AtomicU32) -> c_int {
    // SAFETY: the word is alive for the call, which only takes its address.
    unsafe { call(OPERATION, word.as_ptr().cast(), 0) }
}
