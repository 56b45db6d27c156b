//! The clock of all measurements: monotonic, in whole nanoseconds, and the same for all processes of a machine.

/// Its name in a methodology.
pub const CLOCK: &str = imp::CLOCK;

/// Returns nanoseconds since a fixed moment. All processes of a machine read the same clock, which `stream` relies on.
#[inline]
pub fn now_ns() -> u64 {
    imp::now_ns()
}

/// How late `sleep_until` may be on this system, as text.
pub const LATENESS: &str = imp::LATENESS;

/// Sleeps until this moment; returns immediately if it has passed.
pub(crate) use imp::sleep_until;

/// Requests that the system does not delay the calling thread's wake-ups to coalesce them.
pub(crate) use imp::sleep_precisely;

/// Its ticks per second.
#[cfg(any(target_os = "macos", windows))]
pub(crate) use imp::frequency_hz;

/// Cost of one reading and the smallest step, each as sorted readings in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockQuality {
    /// Mean cost of a reading, one entry per batch of 1,000, sorted.
    pub cost_ns: Vec<u64>,
    /// Differences between two readings that differ, sorted.
    pub step_ns: Vec<u64>,
}

/// Measures the clock itself: takes about 10 ms.
pub fn measure() -> ClockQuality {
    const BATCH: u64 = 1_000;
    let mut cost_ns: Vec<u64> = (0..100)
        .map(|_| {
            let start = now_ns();
            for _ in 0..BATCH {
                std::hint::black_box(now_ns());
            }
            (now_ns() - start) / BATCH
        })
        .collect();
    let mut step_ns: Vec<u64> = (0..1_000)
        .map(|_| {
            let start = now_ns();
            loop {
                let step = now_ns() - start;
                if step > 0 {
                    return step;
                }
            }
        })
        .collect();
    cost_ns.sort_unstable();
    step_ns.sort_unstable();
    ClockQuality { cost_ns, step_ns }
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod imp {
    //! Linux and FreeBSD: `CLOCK_MONOTONIC` (`clock_gettime(2)`), and `clock_nanosleep(2)` with `TIMER_ABSTIME`.

    use rustix::time::{ClockId, clock_gettime};

    pub(super) const CLOCK: &str = "clock-monotonic";
    #[cfg(target_os = "linux")]
    pub(super) const LATENESS: &str = "timer slack 1 ns";
    #[cfg(target_os = "freebsd")]
    pub(super) const LATENESS: &str = "late by up to kern.timecounter.alloweddeviation percent of the sleep";

    #[inline]
    pub(super) fn now_ns() -> u64 {
        let time = clock_gettime(ClockId::Monotonic);
        // Neither part is ever negative for this clock.
        time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
    }

    #[expect(unsafe_code, reason = "clock_nanosleep")]
    pub(crate) fn sleep_until(moment_ns: u64) {
        let moment = libc::timespec {
            tv_sec: (moment_ns / 1_000_000_000).cast_signed(),
            tv_nsec: (moment_ns % 1_000_000_000).cast_signed(),
        };
        let (clock, flags) = (libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME);
        // SAFETY: reads one structure; an absolute sleep reports no remaining time.
        let sleep =
            || unsafe { libc::clock_nanosleep(clock, flags, &raw const moment, std::ptr::null_mut()) };
        // An interrupted sleep continues; any other error would mean an invalid time.
        while sleep() == libc::EINTR {}
    }

    /// `PR_SET_TIMERSLACK` (prctl(2)), whose default of 50 us would be part of every latency.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "prctl takes plain numbers")]
    pub(crate) fn sleep_precisely() {
        // SAFETY: changes only the timer slack of the calling thread.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
    }

    /// Not supported: a sleep may be late by some share of its length, set for the whole machine
    /// (`kern.timecounter.alloweddeviation`, 5 % by default) and recorded in the fingerprint.
    #[cfg(target_os = "freebsd")]
    pub(crate) fn sleep_precisely() {}
}

#[cfg(target_os = "macos")]
mod imp {
    //! macOS: `mach_absolute_time` and `mach_wait_until` (`mach/mach_time.h`): 42 ns per tick on Apple silicon, 1 ns on
    //! Intel. `CLOCK_MONOTONIC` counts microseconds there (`clock_gettime(3)`).

    use super::approach::Next;
    use super::*;
    use mach2::mach_time::{
        mach_absolute_time, mach_timebase_info, mach_timebase_info_data_t, mach_wait_until,
    };
    use std::sync::OnceLock;

    pub(super) const LATENESS: &str = "in ever shorter sleeps, and awake for the last 10 us";
    pub(super) const CLOCK: &str = "mach-absolute-time";

    #[inline]
    #[expect(unsafe_code, reason = "mach_absolute_time")]
    pub(super) fn now_ns() -> u64 {
        // SAFETY: takes no argument, and cannot fail.
        let ticks = unsafe { mach_absolute_time() };
        match scale() {
            (1, 1) => ticks,
            (numerator, denominator) => scaled(ticks, numerator, denominator),
        }
    }

    #[expect(unsafe_code, reason = "mach_wait_until")]
    pub(crate) fn sleep_until(moment_ns: u64) {
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

    /// Each sleep already allows for delays.
    pub(crate) fn sleep_precisely() {}

    pub(crate) fn frequency_hz() -> u64 {
        let (numerator, denominator) = scale();
        1_000_000_000 * u64::from(denominator) / u64::from(numerator)
    }

    /// Nanoseconds per tick, as a fraction.
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
}

#[cfg(windows)]
mod imp {
    //! Windows: `QueryPerformanceCounter` (`profileapi.h`), whose step is 100 ns on most machines, and a
    //! high-resolution waitable timer (`CreateWaitableTimerExW`).

    use std::os::windows::io::{AsRawHandle, OwnedHandle};
    use std::sync::OnceLock;
    use std::time::Duration;
    use std::{io, ptr};
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
        nanoseconds(ticks.cast_unsigned(), frequency_hz())
    }

    /// Exact for centuries, because the product has 128 bits.
    #[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years since the machine started")]
    fn nanoseconds(ticks: u64, per_second: u64) -> u64 {
        match per_second {
            // The frequency of nearly every machine, without the division.
            10_000_000 => ticks * 100,
            _ => (u128::from(ticks) * NS_PER_SECOND / u128::from(per_second)) as u64,
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "QueryPerformanceFrequency")]
    pub(crate) fn frequency_hz() -> u64 {
        static FREQUENCY: OnceLock<u64> = OnceLock::new();
        *FREQUENCY.get_or_init(|| {
            let mut ticks = 0;
            // SAFETY: the call writes one number; it cannot fail on any Windows since XP.
            unsafe { QueryPerformanceFrequency(&raw mut ticks) };
            ticks.cast_unsigned().max(1)
        })
    }

    pub(crate) fn sleep_until(moment_ns: u64) {
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

    /// Each sleep already uses a timer without coalescing.
    pub(crate) fn sleep_precisely() {}

    #[expect(unsafe_code, reason = "SetWaitableTimer")]
    fn sleep(timer: &OwnedHandle, left_ns: u64) -> bool {
        // In units of 100 ns; negative for a relative time.
        let due = -i64::try_from(left_ns.div_ceil(100)).unwrap_or(i64::MAX);
        // SAFETY: the timer is open, does not repeat, and has no callback.
        unsafe {
            SetWaitableTimer(timer.as_raw_handle(), &raw const due, 0, None, ptr::null(), 0) != 0
                && WaitForSingleObject(timer.as_raw_handle(), INFINITE) == 0
        }
    }

    /// Since Windows 10 1803; if it is rejected, an ordinary sleep is used.
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
        crate::sys::process::owned(timer)
    }

    #[cfg(test)]
    mod tests {
        use super::nanoseconds;

        #[test]
        fn converts_ticks_of_any_frequency() {
            assert_eq!(nanoseconds(25, 10_000_000), 2_500);
            assert_eq!(nanoseconds(24_000_000 * 3, 24_000_000), 3_000_000_000);
            assert_eq!(nanoseconds(u64::MAX / 100, 10_000_000), u64::MAX / 100 * 100);
        }
    }
}

#[cfg(any(target_os = "macos", test))]
mod approach {
    //! Waking at a given time on a system that delays sleepers. macOS delays by up to an eighth of the sleep and at
    //! most a millisecond (`osfmk/kern/clock.c` and the timer coalescing parameters of XNU), so that several wake
    //! together.

    /// Spin time at the end: about the time to fall asleep and wake.
    const AWAKE_NS: u64 = 10_000;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Next {
        Arrived,
        StayAwake,
        SleepUntil(u64),
    }

    /// A sleep that is an eighth shorter ends before the moment, even with the largest delay.
    pub(super) fn next(now_ns: u64, moment_ns: u64) -> Next {
        match moment_ns.saturating_sub(now_ns) {
            0 => Next::Arrived,
            left_ns if left_ns <= AWAKE_NS => Next::StayAwake,
            left_ns => Next::SleepUntil(moment_ns - left_ns.div_ceil(8)),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn delayed_sleep_ends_before_its_deadline(
                start_ns in 0_u64..1 << 50,
                sleep_ns in 0_u64..10_000_000_000,
                put_off_percent in 0_u64..=100,
            ) {
                let moment_ns = start_ns + sleep_ns;
                let mut now_ns = start_ns;
                let mut sleeps = 0;
                while let Next::SleepUntil(stop_ns) = next(now_ns, moment_ns) {
                    let allowed_ns = ((stop_ns - now_ns) / 8).min(1_000_000);
                    now_ns = stop_ns + allowed_ns * put_off_percent / 100;
                    sleeps += 1;
                    prop_assert!(now_ns < moment_ns || sleep_ns == 0);
                }
                prop_assert!(moment_ns - now_ns <= AWAKE_NS && sleeps <= 8, "{sleeps} sleeps");
            }
        }

        #[test]
        fn past_moment_needs_no_sleep() {
            assert_eq!((next(7, 7), next(8, 7), next(6, 7)), (Next::Arrived, Next::Arrived, Next::StayAwake));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_runs_backwards() {
        let readings: Vec<u64> = (0..10_000).map(|_| now_ns()).collect();
        assert!(readings.is_sorted());
    }

    #[test]
    fn sleeps_until_its_moment() {
        sleep_precisely();
        let moment = now_ns() + 2_000_000;
        sleep_until(moment);
        assert!(now_ns() >= moment);
        sleep_until(0);
    }

    #[test]
    fn step_is_never_zero() {
        assert!(measure().step_ns.iter().all(|&step| step > 0));
    }
}
