//! Hardware and scheduler counters of one thread: a probe, opened only on request.

use std::collections::BTreeMap;
use std::marker::PhantomData;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "freebsd")), path = "unsupported.rs")]
mod imp;

/// In [`Reading::counts`] if some counter was multiplexed: the smallest share of the time, in percent, in which a
/// counter actually counted. The counts are extrapolated to the whole time.
pub(crate) const COUNTED_TIME_PERCENT_MIN: &str = "counted_time_percent_min";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// Processor counters, in user mode and in the kernel.
    Hardware,
    /// Counters of the operating system's scheduler and memory management.
    Scheduler,
}

impl Set {
    /// The names of its counters. A name without a unit is a number of events.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Hardware => &[
                "instructions",
                "cycles",
                "cache_references",
                "cache_misses",
                "bus_cycles",
                "llc_loads",
                "llc_load_misses",
                "branch_misses",
            ],
            Self::Scheduler => &["context_switches", "cpu_migrations", "page_faults", "task_clock_ns"],
        }
    }
}

/// Open counters of the thread that opened them, stopped until they are started.
#[derive(Debug)]
pub(crate) struct Counters {
    events: imp::Events,
    unavailable: BTreeMap<&'static str, String>,
    /// They count the thread that opened them, so they must stay on it.
    not_send: PhantomData<*const ()>,
}

/// The counts between start and stop. Every name of the set is in exactly one of the two maps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// By name; also [`COUNTED_TIME_PERCENT_MIN`] if a count is extrapolated.
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// The counters that this machine does not provide, with the reason.
    pub(crate) unavailable: BTreeMap<&'static str, String>,
}

impl Counters {
    /// Opens each counter of the set separately; the [`Reading`] names those that fail.
    pub(crate) fn open(set: Set) -> Self {
        let mut counters =
            Self { events: imp::Events::default(), unavailable: BTreeMap::new(), not_send: PhantomData };
        for &name in set.names() {
            if let Err(reason) = counters.events.open(name) {
                counters.unavailable.insert(name, reason);
            }
        }
        counters
    }

    pub(crate) fn start(&self) {
        self.events.start();
    }

    pub(crate) fn stop(self) -> Reading {
        self.events.stop();
        let mut reading = Reading { counts: BTreeMap::new(), unavailable: self.unavailable };
        let mut percent_min = 100;
        for (name, count) in self.events.read() {
            match count {
                Ok(count) => {
                    reading.counts.insert(name, count.value);
                    percent_min = percent_min.min(count.counted_time_percent);
                }
                Err(reason) => _ = reading.unavailable.insert(name, reason),
            }
        }
        if percent_min < 100 {
            reading.counts.insert(COUNTED_TIME_PERCENT_MIN, percent_min);
        }
        reading
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    value: u64,
    /// Below 100 if the value is extrapolated.
    counted_time_percent: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::shared_memory;

    /// The reading, and each name of the set in one map, never in both.
    fn read(set: Set, work: impl FnOnce()) -> Reading {
        let counters = Counters::open(set);
        counters.start();
        work();
        let reading = counters.stop();
        for name in set.names() {
            let (counted, refused) = (reading.counts.contains_key(name), reading.unavailable.get(name));
            assert!(counted != refused.is_some(), "{name}: {reading:?}");
            if let Some(reason) = refused {
                println!("not counted here: {name}: {reason}");
                assert!(reason.contains(' '), "a sentence, not a code: {reason}");
            }
        }
        reading
    }

    /// Touches 64 new pages; memory from an allocator may have been used before.
    fn touch_new_pages() {
        /// No known system has larger pages.
        const PAGE_BYTES: usize = 64 << 10;
        let bytes = 64 * PAGE_BYTES;
        let Ok(memory) = shared_memory::create(bytes) else { return };
        let pages = shared_memory::Mapping::untouched(&memory, bytes).unwrap();
        assert!(pages.contents().iter().step_by(PAGE_BYTES).all(|&byte| byte == 0));
    }

    #[test]
    fn scheduler_counts_events_of_the_thread() {
        let reading = read(Set::Scheduler, || {
            touch_new_pages();
            // Sleeps only to cause a context switch.
            std::thread::sleep(std::time::Duration::from_millis(1));
        });
        let at_least = |name, expected| {
            if let Some(&count) = reading.counts.get(name) {
                assert!(count >= expected, "{name} is {count}, expected at least {expected}");
            }
        };
        at_least("context_switches", 1);
        at_least("page_faults", 64);
        at_least("task_clock_ns", 1);
        assert!(!reading.counts.contains_key(COUNTED_TIME_PERCENT_MIN), "{reading:?}");
    }

    #[test]
    fn ignores_work_before_the_start() {
        let counters = Counters::open(Set::Scheduler);
        touch_new_pages();
        counters.start();
        let reading = counters.stop();
        if let Some(&faults) = reading.counts.get("page_faults") {
            assert!(faults < 64, "{faults} page faults");
        }
    }

    #[test]
    fn counts_instructions_or_gives_a_reason() {
        let reading = read(Set::Hardware, || {
            for number in 0..10_000_u32 {
                std::hint::black_box(number);
            }
        });
        if let Some(&instructions) = reading.counts.get("instructions") {
            assert!(instructions >= 10_000, "{instructions} instructions");
        }
    }
}
