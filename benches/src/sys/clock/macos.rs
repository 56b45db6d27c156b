//! macOS: `mach_absolute_time` and `mach_wait_until` (`mach/mach_time.h`): 42 ns a tick on Apple silicon, 1 ns on Intel.
//! `CLOCK_MONOTONIC` counts microseconds there (`clock_gettime(3)`).

use super::approach::{self, Next};
use mach2::mach_time::{mach_absolute_time, mach_timebase_info, mach_timebase_info_data_t, mach_wait_until};
use std::sync::OnceLock;

pub(super) const LATENESS: &str = "in ever shorter sleeps, and awake for the last 10 us";
pub(super) const CLOCK: &str = "mach-absolute-time";

#[inline]
#[expect(unsafe_code, reason = "mach_absolute_time")]
pub(super) fn now_ns() -> u64 {
    // SAFETY: takes nothing, and cannot fail.
    let ticks = unsafe { mach_absolute_time() };
    match scale() {
        (1, 1) => ticks,
        (numerator, denominator) => scaled(ticks, numerator, denominator),
    }
}

#[expect(unsafe_code, reason = "mach_wait_until")]
pub(super) fn sleep_until(moment_ns: u64) {
    let (numerator, denominator) = scale();
    loop {
        match approach::next(super::now_ns(), moment_ns) {
            Next::Arrived => return,
            Next::StayAwake => std::hint::spin_loop(),
            Next::SleepUntil(stop_ns) => {
                // SAFETY: takes a number.
                unsafe { mach_wait_until(scaled(stop_ns, denominator, numerator)) };
            }
        }
    }
}

/// Each sleep already allows for being put off.
pub(super) fn sleep_precisely() {}

/// Nanoseconds a tick, as a fraction.
#[inline]
#[expect(unsafe_code, reason = "mach_timebase_info")]
fn scale() -> (u32, u32) {
    static SCALE: OnceLock<(u32, u32)> = OnceLock::new();
    *SCALE.get_or_init(|| {
        let mut scale = mach_timebase_info_data_t { numer: 1, denom: 1 };
        // SAFETY: the call writes the structure.
        unsafe { mach_timebase_info(&raw mut scale) };
        (scale.numer.max(1), scale.denom.max(1))
    })
}

/// Exact, because the product has 128 bits.
#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years since the machine started")]
fn scaled(count: u64, numerator: u32, denominator: u32) -> u64 {
    (u128::from(count) * u128::from(numerator) / u128::from(denominator)) as u64
}
