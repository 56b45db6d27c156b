//! macOS 14.4 and later: `os_sync_wait_on_address_with_timeout` and `os_sync_wake_by_address_any`
//! (`os/os_sync_wait_on_address.h` in the SDK), the public way to sleep on an address. They are looked up when first
//! needed, so that the program still starts on an older system.

use super::{ASLEEP, Mechanism, Spot};
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

/// Bytes of a word.
const SIZE: usize = size_of::<u32>();

/// The flag for memory shared by processes: both sides must set it.
const WAIT_SHARED: u32 = libc::OS_SYNC_WAIT_ON_ADDRESS_SHARED;
const WAKE_SHARED: u32 = libc::OS_SYNC_WAKE_BY_ADDRESS_SHARED;

/// Address, value, size, flags, clock, nanoseconds.
type Wait = unsafe extern "C" fn(*mut c_void, u64, usize, u32, u32, u64) -> c_int;
/// Address, size, flags.
type Wake = unsafe extern "C" fn(*mut c_void, usize, u32) -> c_int;

#[expect(unsafe_code, reason = "functions by their names")]
static CALLS: LazyLock<Option<(Wait, Wake)>> = LazyLock::new(|| {
    // SAFETY: the header declares the functions of these names with these types.
    unsafe { find(c"os_sync_wait_on_address_with_timeout").zip(find(c"os_sync_wake_by_address_any")) }
});

pub(super) struct OsSync;

impl Mechanism for OsSync {
    fn slug(&self) -> &'static str {
        "os-sync"
    }

    fn support(&self) -> Result<(), Unsupported> {
        CALLS.map(|_| ()).ok_or_else(|| Unsupported::because("os_sync needs macOS 14.4"))
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn sleep(&self, spot: &Spot) {
        // An hour, in nanoseconds from now, whatever the ticks of this clock: the call cannot wait forever, and
        // returning spuriously is allowed.
        const TIMEOUT_NS: u64 = 3_600_000_000_000;
        // Without the calls, callers that check support do not come here.
        let Some((wait, _)) = *CALLS else { return };
        let (clock, address) = (libc::OS_CLOCK_MACH_ABSOLUTE_TIME, spot.word.as_ptr().cast());
        // SAFETY: the word is alive for the call, which only reads it.
        // After EINTR, the caller checks again. A changed word is not an error.
        let _ = unsafe { wait(address, ASLEEP.into(), SIZE, WAIT_SHARED, clock, TIMEOUT_NS) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn wake(&self, spot: &Spot) {
        if let Some((_, wake)) = *CALLS {
            // SAFETY: the word is alive for the call, which only takes its address.
            // The only expected error is that nothing sleeps there.
            let _ = unsafe { wake(spot.word.as_ptr().cast(), SIZE, WAKE_SHARED) };
        }
    }
}
