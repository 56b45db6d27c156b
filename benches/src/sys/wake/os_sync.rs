//! macOS 14.4 and later: `os_sync_wait_on_address_with_timeout` and `os_sync_wake_by_address_any`
//! (`os/os_sync_wait_on_address.h` of the SDK), the public way to sleep at an address. They are looked up
//! when first needed, so that the program still starts on an older system.

use super::{ASLEEP, Mechanism, Spot};
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

/// Bytes of a word.
const SIZE: usize = size_of::<u32>();

/// The flag that processes share the memory: both sides must give it.
const WAIT_SHARED: u32 = libc::OS_SYNC_WAIT_ON_ADDRESS_SHARED;
const WAKE_SHARED: u32 = libc::OS_SYNC_WAKE_BY_ADDRESS_SHARED;

/// Address, value, size, flags, clock, nanoseconds.
type Wait = unsafe extern "C" fn(*mut c_void, u64, usize, u32, u32, u64) -> c_int;
/// Address, size, flags.
type Wake = unsafe extern "C" fn(*mut c_void, usize, u32) -> c_int;

#[expect(unsafe_code, reason = "functions by their names")]
static CALLS: LazyLock<Option<(Wait, Wake)>> = LazyLock::new(|| {
    // SAFETY: the header gives the functions of these names these types.
    unsafe { find(c"os_sync_wait_on_address_with_timeout").zip(find(c"os_sync_wake_by_address_any")) }
});

pub(super) struct OsSync;

impl Mechanism for OsSync {
    fn slug(&self) -> &'static str {
        "os-sync"
    }

    fn support(&self) -> Result<(), Unsupported> {
        CALLS.map(|_| ()).ok_or_else(|| Unsupported::because("os sync: only since macOS 14.4"))
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn sleep(&self, spot: &Spot) {
        // An hour, in nanoseconds from now on, whatever the ticks of this clock are: this call has no word for ever, and
        // returning for no reason is allowed.
        const PATIENCE_NS: u64 = 3_600_000_000_000;
        // Where there are no calls, who asks for support does not come here.
        let Some((wait, _)) = *CALLS else { return };
        let (clock, address) = (libc::OS_CLOCK_MACH_ABSOLUTE_TIME, spot.word.as_ptr().cast());
        // SAFETY: the word is alive for the call, which only reads it.
        // EINTR means: look again, which who calls does. That the word has changed is no error.
        let _ = unsafe { wait(address, ASLEEP.into(), SIZE, WAIT_SHARED, clock, PATIENCE_NS) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn wake(&self, spot: &Spot) {
        if let Some((_, wake)) = *CALLS {
            // SAFETY: the word is alive for the call, which only takes its address.
            // The only error to expect is that nothing sleeps there.
            let _ = unsafe { wake(spot.word.as_ptr().cast(), SIZE, WAKE_SHARED) };
        }
    }
}
