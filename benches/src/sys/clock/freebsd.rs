//! FreeBSD: `CLOCK_MONOTONIC` (`clock_gettime(2)`) and `clock_nanosleep(2)` with `TIMER_ABSTIME`.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

pub(super) const LATENESS: &str = "late by up to kern.timecounter.alloweddeviation percent of the sleep";
pub(super) const CLOCK: &str = "clock-monotonic";

#[inline]
pub(super) fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // Neither part is ever negative for this clock.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

#[expect(unsafe_code, reason = "clock_nanosleep")]
pub(super) fn sleep_until(moment_ns: u64) {
    let moment = libc::timespec {
        tv_sec: (moment_ns / 1_000_000_000).cast_signed(),
        tv_nsec: (moment_ns % 1_000_000_000).cast_signed(),
    };
    let mut rest = MaybeUninit::uninit();
    loop {
        // SAFETY: reads one structure; an absolute sleep leaves the other alone.
        let ended = unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                ptr::from_ref(&moment),
                rest.as_mut_ptr(),
            )
        };
        // An interrupted sleep goes on; any other error would be of an invalid moment.
        if io::Error::from_raw_os_error(ended).kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// There is no such wish: a sleep may be late by some share of its length, which is the machine's choice for all
/// (`kern.timecounter.alloweddeviation`, 5 % by default) and a fact of the fingerprint.
pub(super) fn sleep_precisely() {}
