//! Linux: `CLOCK_MONOTONIC` (`clock_gettime(2)`), `clock_nanosleep(2)` with `TIMER_ABSTIME`, and `PR_SET_TIMERSLACK`
//! (prctl(2)), whose default of 50 us would be part of every latency.

use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_gettime};

pub(super) const LATENESS: &str = "timer slack 1 ns";
pub(super) const CLOCK: &str = "clock-monotonic";

#[inline]
pub(super) fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    // Neither part is ever negative for this clock.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

pub(super) fn sleep_until(moment_ns: u64) {
    let moment = Timespec {
        tv_sec: (moment_ns / 1_000_000_000).cast_signed(),
        tv_nsec: (moment_ns % 1_000_000_000).cast_signed(),
    };
    // An interrupted sleep goes on; any other error would be of an invalid moment.
    while clock_nanosleep_absolute(ClockId::Monotonic, &moment) == Err(rustix::io::Errno::INTR) {}
}

#[expect(unsafe_code, reason = "prctl takes plain numbers")]
pub(super) fn sleep_precisely() {
    // SAFETY: changes only the timer slack of the calling thread.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}
