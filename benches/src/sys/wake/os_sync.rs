//! macOS 14.4 and later: `os_sync_wait_on_address_with_timeout` and `os_sync_wake_by_address_any`
//! (`os/os_sync_wait_on_address.h` of the SDK), the public way to sleep at an address. They are looked up
//! when first needed, so that the program still starts on an older system.

use super::{ASLEEP, Mechanism, Spot};
use crate::sys::Unsupported;
use crate::sys::symbol::find;
use std::ffi::{c_int, c_void};
use std::io;
use std::ptr::NonNull;
use std::sync::LazyLock;
use std::time::Duration;

/// Bytes of a word.
const SIZE: usize = size_of::<u32>();

/// The flag that processes share the memory: both sides must give it.
const WAIT_SHARED: u32 = libc::OS_SYNC_WAIT_ON_ADDRESS_SHARED;
const WAKE_SHARED: u32 = libc::OS_SYNC_WAKE_BY_ADDRESS_SHARED;

type Wait = unsafe extern "C" fn(
    address: *mut c_void,
    value: u64,
    size: usize,
    flags: u32,
    clock: u32,
    nanoseconds: u64,
) -> c_int;
type Wake = unsafe extern "C" fn(address: *mut c_void, size: usize, flags: u32) -> c_int;

struct Calls {
    wait: Wait,
    wake: Wake,
}

static CALLS: LazyLock<Option<Calls>> = LazyLock::new(look_up);

pub(super) struct OsSync;

impl Mechanism for OsSync {
    fn slug(&self) -> &'static str {
        "os-sync"
    }

    fn support(&self) -> Result<(), Unsupported> {
        match &*CALLS {
            Some(_) => Ok(()),
            None => Err(Unsupported::because("os sync: only since macOS 14.4")),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn sleep(&self, spot: &Spot, patience: Option<Duration>) -> bool {
        // Where there are no calls, who asks for support does not come here.
        let Some(calls) = &*CALLS else { return false };
        // From now on, in nanoseconds, whatever the ticks of this clock are; 0 would be refused.
        // Without an end an hour: this call has no word for ever, and returning for no reason is allowed.
        let patience = patience.unwrap_or(Duration::from_hours(1));
        let patience = u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX).max(1);
        let clock = libc::OS_CLOCK_MACH_ABSOLUTE_TIME;
        let address = spot.word.as_ptr().cast();
        // SAFETY: the word is alive for the call, which only reads it.
        let result = unsafe { (calls.wait)(address, ASLEEP.into(), SIZE, WAIT_SHARED, clock, patience) };
        // EINTR means: look again, which who calls does. That the word has changed is no error.
        result < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT)
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call that is looked up")]
    fn wake(&self, spot: &Spot) {
        if let Some(calls) = &*CALLS {
            // SAFETY: the word is alive for the call, which only takes its address.
            // The only error to expect is that nobody sleeps.
            let _ = unsafe { (calls.wake)(spot.word.as_ptr().cast(), SIZE, WAKE_SHARED) };
        }
    }
}

#[expect(unsafe_code, reason = "functions by their names")]
fn look_up() -> Option<Calls> {
    let wait = find(c"os_sync_wait_on_address_with_timeout")?;
    let wake = find(c"os_sync_wake_by_address_any")?;
    // SAFETY: the header gives the functions of these names these types.
    unsafe {
        Some(Calls {
            wait: std::mem::transmute::<NonNull<c_void>, Wait>(wait),
            wake: std::mem::transmute::<NonNull<c_void>, Wake>(wake),
        })
    }
}
