//! Getting up at a moment where the system puts off what sleeps: macOS by up to an eighth of the sleep and at most a
//! millisecond (`osfmk/kern/clock.c` and the timer coalescing parameters of XNU), so that it wakes for many at once.

/// Awake for the last of it: about what it takes to fall asleep and to wake.
const AWAKE_NS: u64 = 10_000;

/// What to do about a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It has come.
    Arrived,
    /// It is too close to sleep.
    StayAwake,
    /// Sleep, and ask again.
    SleepUntil(u64),
}

/// A sleep that ends an eighth before the moment ends before it, however much of what is allowed it is put off.
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
        fn a_sleep_that_is_put_off_still_ends_before_its_moment(
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
    fn a_moment_in_the_past_has_come() {
        assert_eq!((next(7, 7), next(8, 7), next(6, 7)), (Next::Arrived, Next::Arrived, Next::StayAwake));
    }
}
