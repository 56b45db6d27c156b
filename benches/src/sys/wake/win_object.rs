//! Windows: what its mechanisms share. `WaitOnAddress` works only within one process, so a spot keeps the
//! name of a kernel object: who sleeps makes it, who wakes opens it by its name.
//!
//! A spot does not say when it ends, so a process keeps every handle for as long as it lives: one for each
//! spot that it has used.

use super::Spot;
use std::collections::BTreeMap;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use windows_sys::Win32::Foundation::{HANDLE, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{INFINITE, SignalObjectAndWait, WaitForSingleObject};

/// Makes the object of this name, which ends with a zero, or opens it where it exists: null if it can do
/// neither.
pub(super) type Make = fn(name: &[u16]) -> HANDLE;

/// The handles of this process. A tree, because few are looked for often, and hashing would take longer.
static HANDLES: RwLock<BTreeMap<u64, OwnedHandle>> = RwLock::new(BTreeMap::new());

// A number must fit where a spot keeps it.
const _: () = assert!(size_of::<AtomicU64>() <= 32 && align_of::<AtomicU64>() <= 8);

/// Gives the spot a number, unless it has one, and makes the object that is named after it.
pub(super) fn settle(spot: &Spot, make: Make) -> io::Result<()> {
    // 0 is that of a spot which has none.
    let drawn = rand::random::<u64>() | 1;
    let _ = number(spot).compare_exchange(0, drawn, Ordering::AcqRel, Ordering::Acquire);
    handle(spot, make).map(drop)
}

/// The handle of the spot's object, which stays open.
#[expect(unsafe_code, reason = "taking a handle")]
pub(super) fn handle(spot: &Spot, make: Make) -> io::Result<HANDLE> {
    let number = number(spot).load(Ordering::Acquire);
    if number == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    if let Some(known) = HANDLES.read().unwrap_or_else(PoisonError::into_inner).get(&number) {
        return Ok(known.as_raw_handle());
    }
    // Who makes it at the same time opens the same object.
    let made = make(&name(number));
    if made.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    let made = unsafe { OwnedHandle::from_raw_handle(made) };
    let mut handles = HANDLES.write().unwrap_or_else(PoisonError::into_inner);
    Ok(handles.entry(number).or_insert(made).as_raw_handle())
}

/// Waits for one token, and returns whether patience has ended.
#[expect(unsafe_code, reason = "WaitForSingleObject")]
pub(super) fn sleep(spot: &Spot, make: Make, patience: Option<Duration>) -> bool {
    // A spot that is not settled is nobody's to sleep on.
    let Ok(own) = handle(spot, make) else { return false };
    // SAFETY: the handle is never closed.
    unsafe { WaitForSingleObject(own, milliseconds(patience)) == WAIT_TIMEOUT }
}

/// Gives one token and waits for another in one call, and returns whether patience has ended.
#[expect(unsafe_code, reason = "SignalObjectAndWait")]
pub(super) fn wake_and_sleep(wake: &Spot, own: &Spot, make: Make, patience: Option<Duration>) -> bool {
    // A spot that is not settled has nobody to wake.
    let Ok(other) = handle(wake, make) else { return sleep(own, make, patience) };
    let Ok(own) = handle(own, make) else { return false };
    // SAFETY: the handles are never closed.
    unsafe { SignalObjectAndWait(other, own, milliseconds(patience), 0) == WAIT_TIMEOUT }
}

/// Windows counts patience in milliseconds: never less than asked for.
fn milliseconds(patience: Option<Duration>) -> u32 {
    let Some(patience) = patience else { return INFINITE };
    u32::try_from(patience.as_nanos().div_ceil(1_000_000)).unwrap_or(INFINITE).min(INFINITE - 1)
}

/// `Local` is the session of this user.
fn name(number: u64) -> Vec<u16> {
    format!("Local\\roundtrip-wake-{number:016x}\0").encode_utf16().collect()
}

/// What the object is named after: random, because another process may have made spots as well.
#[expect(unsafe_code, reason = "a part of the spot's memory")]
fn number(spot: &Spot) -> &AtomicU64 {
    // SAFETY: the memory is large and aligned enough (above), lives as long as the spot, and is only used
    // atomically.
    unsafe { AtomicU64::from_ptr(spot.store.get().cast()) }
}
