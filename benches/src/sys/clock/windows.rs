//! Windows: `QueryPerformanceCounter` (`profileapi.h`), whose step is 100 ns on most machines, and a waitable timer of high
//! resolution (`CreateWaitableTimerExW`).

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::sync::OnceLock;
use std::time::Duration;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, INFINITE, SetWaitableTimer,
    TIMER_ALL_ACCESS, WaitForSingleObject,
};

pub(super) const LATENESS: &str = "a waitable timer of high resolution where the system has it";
pub(super) const CLOCK: &str = "performance-counter";

const NS_PER_SECOND: u128 = 1_000_000_000;

#[inline]
#[expect(unsafe_code, reason = "QueryPerformanceCounter")]
pub(super) fn now_ns() -> u64 {
    let mut ticks = 0;
    // SAFETY: the call writes one number. It cannot fail on any Windows since XP, and never counts below zero.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    nanoseconds(ticks.cast_unsigned(), frequency())
}

/// Exact for centuries, because the product has 128 bits.
#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years since the machine started")]
fn nanoseconds(ticks: u64, per_second: u64) -> u64 {
    match per_second {
        // That of nearly every machine, without the division.
        10_000_000 => ticks * 100,
        _ => (u128::from(ticks) * NS_PER_SECOND / u128::from(per_second)) as u64,
    }
}

/// Ticks per second, fixed when the machine starts.
#[inline]
#[expect(unsafe_code, reason = "QueryPerformanceFrequency")]
fn frequency() -> u64 {
    static FREQUENCY: OnceLock<u64> = OnceLock::new();
    *FREQUENCY.get_or_init(|| {
        let mut ticks = 0;
        // SAFETY: the call writes one number; it cannot fail on any Windows since XP.
        unsafe { QueryPerformanceFrequency(&raw mut ticks) };
        ticks.cast_unsigned().max(1)
    })
}

pub(super) fn sleep_until(moment_ns: u64) {
    thread_local! {
        static TIMER: Option<OwnedHandle> = timer().ok();
    }
    while let Some(left_ns) = moment_ns.checked_sub(super::now_ns()).filter(|&left| left > 0) {
        let slept = TIMER.with(|timer| timer.as_ref().is_some_and(|timer| sleep(timer, left_ns)));
        if !slept {
            std::thread::sleep(Duration::from_nanos(left_ns));
        }
    }
}

/// Each sleep already uses a timer that is not put off.
pub(super) fn sleep_precisely() {}

#[expect(unsafe_code, reason = "SetWaitableTimer")]
fn sleep(timer: &OwnedHandle, left_ns: u64) -> bool {
    // In units of 100 ns, negative for a time from now on.
    let due = -i64::try_from(left_ns.div_ceil(100)).unwrap_or(i64::MAX);
    // SAFETY: the timer is open; it repeats nothing and calls nothing.
    unsafe {
        SetWaitableTimer(timer.as_raw_handle(), &raw const due, 0, None, ptr::null(), 0) != 0
            && WaitForSingleObject(timer.as_raw_handle(), INFINITE) == 0
    }
}

/// Since Windows 10 1803; where it is refused, an ordinary sleep has to do.
#[expect(unsafe_code, reason = "CreateWaitableTimerExW")]
fn timer() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name.
    let timer = unsafe {
        CreateWaitableTimerExW(
            ptr::null(),
            ptr::null(),
            CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
            TIMER_ALL_ACCESS,
        )
    };
    if timer.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    Ok(unsafe { OwnedHandle::from_raw_handle(timer) })
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn ticks_of_any_frequency_become_nanoseconds() {
        assert_eq!(nanoseconds(25, 10_000_000), 2_500);
        assert_eq!(nanoseconds(24_000_000 * 3, 24_000_000), 3_000_000_000);
        assert_eq!(nanoseconds(u64::MAX / 100, 10_000_000), u64::MAX / 100 * 100);
    }
}
