//! The machine's activity during one repetition: read before, read after, and why it counts as disturbed.
//!
//! Two readings of a few small files take well under a millisecond, outside the timed section. Values that a kernel
//! does not provide are absent.

use std::collections::BTreeMap;

#[cfg(any(test, target_os = "freebsd"))]
mod cp_times;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// Counters of the machine since boot. Only the difference of two readings is meaningful; for a level it is the higher
/// of both.
///
/// | key | meaning |
/// |---|---|
/// | `elapsed_ns` | time |
/// | `steal_ns` | the hypervisor ran something else, summed over the watched processors |
/// | `busy_ns` | processors were not idle, for any reason, summed over the watched ones |
/// | `irq_ns`, `softirq_ns` | interrupts, summed over the watched processors |
/// | `cpu_pressure_ns`, `memory_pressure_ns`, `io_pressure_ns` | some task of the machine waited (PSI) |
/// | `throttled_ns`, `throttled_periods` | a cgroup's quota throttled its processes |
/// | `thermal_throttle_events` | a watched processor throttled because of heat |
/// | `thermal_pressure_level` | thermal throttling of the machine, from 0 to 4: a level, not a counter |
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    counters: BTreeMap<&'static str, u64>,
    /// `watched_cpus` and the number of given processors, or `machine_cpus` and the number of all.
    cpus: (&'static str, u64),
}

impl Reading {
    /// Reads the counters for these processors, if the system counts by processor; with `None`, for all.
    pub(crate) fn now(cpus: Option<&[u32]>) -> Self {
        let mut counters = imp::counters(cpus);
        counters.insert("elapsed_ns", super::clock::now_ns());
        let cpus = match cpus {
            Some(named) => ("watched_cpus", named.len() as u64),
            None => ("machine_cpus", imp::processors()),
        };
        Self { counters, cpus }
    }

    /// Differences from an earlier reading of the same processors, and the higher of two levels; also the number of
    /// processors, as `watched_cpus` if they were given, else as `machine_cpus`.
    pub(crate) fn since(&self, earlier: &Self) -> BTreeMap<String, u64> {
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

// When a repetition counts as disturbed, with the reasons as text. It is then marked, never dropped.
//
// Interrupts are recorded but not a reason: `tcp` and `udp` do their own work in soft interrupts. Waiting for a disk is
// not a reason either, because no transport uses one while the clock runs; nor are busy processors, because the ends
// themselves are busy.

/// Steal above this share of the watched processors' time: 1 %. The guest used for testing shows 0.02 to 0.1 % at work
/// and 0.07 % since its start. A tick is 10 ms nearly everywhere, so in a repetition shorter than a second a single
/// tick is enough.
pub(crate) const STEAL_SHARE_MAX: f64 = 0.01;

/// Waiting for memory above this share of the time: 1 %. A machine with free memory shows exactly zero, because a task
/// waits only when pages must be reclaimed or read back.
pub(crate) const MEMORY_PRESSURE_SHARE_MAX: f64 = 0.01;

/// Waiting for a processor above this share of the time: 35 %, and only if each end has its own processor.
///
/// The ends cause pressure themselves: a task that was just woken waits until its waker sleeps. Measured on a guest
/// with two processors, ping-pong over pipes with 64 B and a stream of 64 KiB writes, in windows of 30 to 200 ms. With
/// nothing else running: on one processor 58 to 60 % (ping-pong) and 51 to 52 % (stream), on two 13 to 18 % and 7 to
/// 14 % in eight windows of ten, and 30 % in the worst. With one busy loop: on two processors 41 to 62 % and 46 to
/// 65 %, which stands out; on one 50 to 54 % and 26 to 50 %, less than without it. So if the ends share a processor, or
/// the scheduler may make them share one, this is recorded but is not a reason.
pub(crate) const CPU_PRESSURE_SHARE_MAX: f64 = 0.35;

/// The reasons why a repetition with these differences ([`Reading::since`]) counts as disturbed, as sentences with
/// figures. Empty if it does not.
pub(crate) fn reasons(differences: &BTreeMap<String, u64>) -> Vec<String> {
    let value = |key: &str| differences.get(key).copied().unwrap_or(0);
    let elapsed_ns = value("elapsed_ns");
    let watched = value("watched_cpus");
    let cpus = watched.max(value("machine_cpus")).max(1);
    let mut reasons = Vec::new();

    // Steal is counted in clock ticks, 10 ms nearly everywhere, so one tick may be slightly less or more: hence
    // `about`.
    let steal_ns = value("steal_ns");
    if share(steal_ns, elapsed_ns.saturating_mul(cpus)) > STEAL_SHARE_MAX {
        let from = if cpus > 1 { format!(" from {cpus} CPUs") } else { String::new() };
        let (took, passed) = (milliseconds(steal_ns), milliseconds(elapsed_ns));
        reasons.push(format!("the hypervisor stole about {took}{from} in {passed}"));
    }
    let (throttled_ns, throttled_periods) = (value("throttled_ns"), value("throttled_periods"));
    if throttled_ns > 0 || throttled_periods > 0 {
        reasons.push(format!(
            "a cgroup's CPU quota paused the processes for {} in {}",
            milliseconds(throttled_ns),
            counted(throttled_periods, "period")
        ));
    }
    let cpu_pressure_ns = value("cpu_pressure_ns");
    if watched > 1 && share(cpu_pressure_ns, elapsed_ns) > CPU_PRESSURE_SHARE_MAX {
        reasons.push(format!(
            "tasks waited {} of {} for a CPU (CPU pressure)",
            milliseconds(cpu_pressure_ns),
            milliseconds(elapsed_ns)
        ));
    }
    let memory_pressure_ns = value("memory_pressure_ns");
    if share(memory_pressure_ns, elapsed_ns) > MEMORY_PRESSURE_SHARE_MAX {
        reasons.push(format!(
            "tasks waited {} of {} for memory (memory pressure)",
            milliseconds(memory_pressure_ns),
            milliseconds(elapsed_ns)
        ));
    }
    let thermal = value("thermal_throttle_events");
    if thermal > 0 {
        reasons.push(format!("the CPU throttled because of heat {}", counted(thermal, "time")));
    }
    let level = value("thermal_pressure_level");
    if level > 0 {
        reasons.push(format!("the system throttled because of heat (thermal pressure {level} of 4)"));
    }
    reasons
}

/// Zero if no time passed.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// With one decimal: these counters have steps of microseconds at best.
fn milliseconds(ns: u64) -> String {
    format!("{:.1} ms", ns as f64 / 1e6)
}

fn counted(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(counters: &[(&'static str, u64)]) -> Reading {
        Reading { counters: counters.iter().copied().collect(), cpus: ("watched_cpus", 2) }
    }

    #[test]
    fn difference_contains_common_counters() {
        let earlier = reading(&[("elapsed_ns", 100), ("steal_ns", 40)]);
        let later = reading(&[("elapsed_ns", 350), ("steal_ns", 70), ("io_pressure_ns", 5)]);
        let expected = [("elapsed_ns", 250), ("steal_ns", 30), ("watched_cpus", 2)];
        assert_eq!(later.since(&earlier), expected.map(|(key, value)| (key.to_owned(), value)).into());
    }

    #[test]
    fn decreasing_counter_counts_as_zero() {
        let added = reading(&[("steal_ns", 40)]).since(&reading(&[("steal_ns", 41)]));
        assert_eq!(added["steal_ns"], 0);
    }

    #[test]
    fn uses_the_higher_level() {
        let (cool, hot) =
            (reading(&[("thermal_pressure_level", 0)]), reading(&[("thermal_pressure_level", 2)]));
        assert_eq!(hot.since(&cool)["thermal_pressure_level"], 2);
        assert_eq!(cool.since(&hot)["thermal_pressure_level"], 2);
        assert_eq!(hot.since(&hot)["thermal_pressure_level"], 2);
    }

    #[test]
    fn time_passes_between_two_readings() {
        let earlier = Reading::now(None);
        let added = Reading::now(None).since(&earlier);
        assert!(added["elapsed_ns"] > 0 && added["machine_cpus"] > 0, "{added:?}");
    }

    fn reasons_for(differences: &[(&str, u64)]) -> Vec<String> {
        reasons(&differences.iter().map(|&(key, value)| (key.to_owned(), value)).collect())
    }

    #[test]
    fn quiet_repetition_has_no_reason() {
        let quiet = [("elapsed_ns", 30_000_000), ("irq_ns", 10_000_000), ("softirq_ns", 20_000_000)];
        assert_eq!(reasons_for(&quiet), Vec::<String>::new());
        assert_eq!(reasons_for(&[]), Vec::<String>::new());
    }

    #[test]
    fn steal_is_relative_to_watched_processors() {
        let one = [("elapsed_ns", 30_000_000), ("watched_cpus", 1), ("steal_ns", 10_000_000)];
        assert_eq!(reasons_for(&one), ["the hypervisor stole about 10.0 ms in 30.0 ms"]);
        let two = [("elapsed_ns", 30_000_000), ("watched_cpus", 2), ("steal_ns", 20_000_000)];
        assert_eq!(reasons_for(&two), ["the hypervisor stole about 20.0 ms from 2 CPUs in 30.0 ms"]);
        let whole = [("elapsed_ns", 30_000_000), ("machine_cpus", 64), ("steal_ns", 10_000_000)];
        assert_eq!(reasons_for(&whole), Vec::<String>::new());
        let long = [("elapsed_ns", 2_000_000_000), ("watched_cpus", 1), ("steal_ns", 10_000_000)];
        assert_eq!(reasons_for(&long), Vec::<String>::new());
    }

    #[test]
    fn any_throttling_is_a_reason() {
        let held = [("elapsed_ns", 1_000_000_000), ("throttled_ns", 3_000_000), ("throttled_periods", 1)];
        assert_eq!(reasons_for(&held), ["a cgroup's CPU quota paused the processes for 3.0 ms in 1 period"]);
    }

    #[test]
    fn cpu_pressure_counts_only_with_separate_processors() {
        let pressed = |watched| {
            reasons_for(&[
                ("elapsed_ns", 10_000_000),
                ("watched_cpus", watched),
                ("cpu_pressure_ns", 6_000_000),
            ])
        };
        assert_eq!(pressed(1), Vec::<String>::new());
        assert_eq!(pressed(2), ["tasks waited 6.0 ms of 10.0 ms for a CPU (CPU pressure)"]);
        let own = [("elapsed_ns", 10_000_000), ("watched_cpus", 2), ("cpu_pressure_ns", 3_000_000)];
        assert_eq!(reasons_for(&own), Vec::<String>::new());
        // Ends placed by the scheduler may share a processor.
        let free = [("elapsed_ns", 10_000_000), ("machine_cpus", 2), ("cpu_pressure_ns", 6_000_000)];
        assert_eq!(reasons_for(&free), Vec::<String>::new());
    }

    #[test]
    fn memory_and_heat_are_reasons() {
        let result = reasons_for(&[
            ("elapsed_ns", 10_000_000),
            ("memory_pressure_ns", 200_000),
            ("thermal_throttle_events", 2),
        ]);
        assert_eq!(
            result,
            [
                "tasks waited 0.2 ms of 10.0 ms for memory (memory pressure)",
                "the CPU throttled because of heat 2 times"
            ]
        );
        assert_eq!(
            reasons_for(&[("elapsed_ns", 10_000_000), ("thermal_pressure_level", 1)]),
            ["the system throttled because of heat (thermal pressure 1 of 4)"]
        );
        assert_eq!(
            reasons_for(&[("elapsed_ns", 10_000_000), ("thermal_pressure_level", 0)]),
            Vec::<String>::new()
        );
    }
}
