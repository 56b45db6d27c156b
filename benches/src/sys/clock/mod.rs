//! The clock of all measurements: monotonic, in whole nanoseconds, and the same for all processes of a machine.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

#[cfg(any(target_os = "macos", test))]
mod approach;

/// Its name in a methodology.
pub const CLOCK: &str = imp::CLOCK;

/// Nanoseconds since some fixed moment. Two processes of one machine read the same clock, which `stream` relies on.
#[inline]
pub fn now_ns() -> u64 {
    imp::now_ns()
}

/// How late [`sleep_until`] may be here, for people.
pub const LATENESS: &str = imp::LATENESS;

/// Sleeps until this moment; returns at once when it has passed.
pub fn sleep_until(moment_ns: u64) {
    imp::sleep_until(moment_ns);
}

/// Asks the system not to put off the calling thread's wake-ups in order to bundle them.
pub fn sleep_precisely() {
    imp::sleep_precisely();
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_runs_backwards() {
        let readings: Vec<u64> = (0..10_000).map(|_| now_ns()).collect();
        assert!(readings.is_sorted());
    }

    #[test]
    fn a_sleep_ends_after_its_moment_and_one_in_the_past_at_once() {
        sleep_precisely();
        let moment = now_ns() + 2_000_000;
        sleep_until(moment);
        assert!(now_ns() >= moment);
        sleep_until(0);
    }

    #[test]
    fn a_step_is_never_zero() {
        assert!(measure().step_ns.iter().all(|&step| step > 0));
    }
}
