//! What the machine went through during one repetition: read before, read after, and why it counts as disturbed.
//!
//! Two readings of a few small files cost well under a millisecond, outside the timed section. What a kernel does
//! not tell is absent.

use std::collections::BTreeMap;

#[cfg(any(test, target_os = "freebsd"))]
mod cp_times;
mod reasons;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

pub use reasons::{CPU_PRESSURE_SHARE_MAX, MEMORY_PRESSURE_SHARE_MAX, STEAL_SHARE_MAX, reasons};

/// Counters of the machine, since it started. Only the difference of two readings means something; of a level it is
/// the higher of both.
///
/// | key | of what |
/// |---|---|
/// | `elapsed_ns` | time |
/// | `steal_ns` | the hypervisor ran something else, summed over the processors watched |
/// | `busy_ns` | processors that were not idle, whoever for, summed over those watched |
/// | `irq_ns`, `softirq_ns` | interrupts, summed over the processors watched |
/// | `cpu_pressure_ns`, `memory_pressure_ns`, `io_pressure_ns` | some task of the machine waited (PSI) |
/// | `throttled_ns`, `throttled_periods` | a cgroup's quota held its processes |
/// | `thermal_throttle_events` | a watched processor slowed itself down because it was hot |
/// | `thermal_pressure_level` | how much the system slows the machine down because it is hot, from 0 to 4: a level, and no counter |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    counters: BTreeMap<&'static str, u64>,
    /// `watched_cpus` and how many were named, or `machine_cpus` and how many there are.
    cpus: (&'static str, u64),
}

impl Reading {
    /// Reads the counters, of these processors where a counter is kept for each; without names, of all.
    pub fn now(cpus: Option<&[u32]>) -> Self {
        let mut counters = imp::counters(cpus);
        counters.insert("elapsed_ns", super::clock::now_ns());
        let cpus = match cpus {
            Some(named) => ("watched_cpus", named.len() as u64),
            None => ("machine_cpus", imp::processors()),
        };
        Self { counters, cpus }
    }

    /// What was added since an earlier reading of the same processors, and the higher of two levels; and how many they are, as `watched_cpus` where
    /// they were named, else as `machine_cpus`.
    pub fn since(&self, earlier: &Self) -> BTreeMap<String, u64> {
        let mut added: BTreeMap<String, u64> = self
            .counters
            .iter()
            .filter_map(|(&key, &now)| {
                let before = *earlier.counters.get(key)?;
                let is_level = key.ends_with("_level");
                Some((key.into(), if is_level { now.max(before) } else { now.saturating_sub(before) }))
            })
            .collect();
        added.insert(self.cpus.0.into(), self.cpus.1);
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(counters: &[(&'static str, u64)]) -> Reading {
        Reading { counters: counters.iter().copied().collect(), cpus: ("watched_cpus", 2) }
    }

    #[test]
    fn the_difference_holds_what_both_readings_have() {
        let earlier = reading(&[("elapsed_ns", 100), ("steal_ns", 40)]);
        let later = reading(&[("elapsed_ns", 350), ("steal_ns", 70), ("io_pressure_ns", 5)]);
        let expected = [("elapsed_ns", 250), ("steal_ns", 30), ("watched_cpus", 2)];
        assert_eq!(later.since(&earlier), expected.map(|(key, value)| (key.to_owned(), value)).into());
    }

    #[test]
    fn a_counter_that_went_backwards_adds_nothing() {
        let added = reading(&[("steal_ns", 40)]).since(&reading(&[("steal_ns", 41)]));
        assert_eq!(added["steal_ns"], 0);
    }

    #[test]
    fn of_a_level_the_higher_reading_counts() {
        let (cool, hot) =
            (reading(&[("thermal_pressure_level", 0)]), reading(&[("thermal_pressure_level", 2)]));
        assert_eq!(hot.since(&cool)["thermal_pressure_level"], 2);
        assert_eq!(cool.since(&hot)["thermal_pressure_level"], 2);
        assert_eq!(hot.since(&hot)["thermal_pressure_level"], 2);
    }

    #[test]
    fn time_passes_between_two_readings_of_this_machine() {
        let earlier = Reading::now(None);
        let added = Reading::now(None).since(&earlier);
        assert!(added["elapsed_ns"] > 0 && added["machine_cpus"] > 0, "{added:?}");
    }
}
