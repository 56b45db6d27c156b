//! Code shared by the mechanisms of Windows. `WaitOnAddress` works only within one process, so a spot stores the name
//! of a kernel object: the sleeper creates it, the waker opens it by name.
//!
//! A spot does not report its end, so a process keeps every handle for as long as it lives: one for each spot that it
//! has used.

use super::Spot;
use crate::sys::process::{owned, wide};
use std::collections::BTreeMap;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Threading::{INFINITE, WaitForSingleObject};

/// Creates or opens the object with this name, which ends with a zero: null if both fail.
pub(super) type Make = fn(name: &[u16]) -> HANDLE;

/// The handles of this process. A tree, because few are looked up often, and hashing would take longer.
static HANDLES: RwLock<BTreeMap<u64, OwnedHandle>> = RwLock::new(BTreeMap::new());

// A spot must have room for a number.
const _: () = assert!(size_of::<AtomicU64>() <= 32 && align_of::<AtomicU64>() <= 8);

/// Gives the spot a number, unless it has one, and creates the object named after it.
pub(super) fn prepare(spot: &Spot, make: Make) -> io::Result<()> {
    // 0 means that a spot has no number.
    let drawn = rand::random::<u64>() | 1;
    let _ = number(spot).compare_exchange(0, drawn, Ordering::AcqRel, Ordering::Acquire);
    handle(spot, make).map(drop)
}

/// The handle of the spot's object, which stays open.
pub(super) fn handle(spot: &Spot, make: Make) -> io::Result<HANDLE> {
    let number = number(spot).load(Ordering::Acquire);
    if number == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    if let Some(known) = HANDLES.read().unwrap_or_else(PoisonError::into_inner).get(&number) {
        return Ok(known.as_raw_handle());
    }
    // Another process that creates it at the same time opens the same object.
    let made = owned(make(&name(number)))?;
    let mut handles = HANDLES.write().unwrap_or_else(PoisonError::into_inner);
    Ok(handles.entry(number).or_insert(made).as_raw_handle())
}

#[expect(unsafe_code, reason = "WaitForSingleObject")]
pub(super) fn sleep(spot: &Spot, make: Make) {
    // A spot that is not prepared cannot be slept on.
    if let Ok(own) = handle(spot, make) {
        // SAFETY: the handle is never closed.
        unsafe { WaitForSingleObject(own, INFINITE) };
    }
}

/// `Local` is the session of this user.
fn name(number: u64) -> Vec<u16> {
    wide(&format!("Local\\roundtrip-wake-{number:016x}"))
}

/// The number in the object's name: random, because other processes create spots too.
#[expect(unsafe_code, reason = "a part of the spot's memory")]
fn number(spot: &Spot) -> &AtomicU64 {
    // SAFETY: the memory is large and aligned enough (above), lives as long as the spot, and is only used atomically.
    unsafe { AtomicU64::from_ptr(spot.store.get().cast()) }
}
