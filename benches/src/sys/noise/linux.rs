//! Linux: `/proc/stat` (`proc_stat(5)`), `/proc/pressure` (kernel documentation, accounting/psi), `cpu.stat` of the
//! control groups, and the throttle counts in sysfs.

use crate::sys::cgroup;
use crate::sys::tree::{Tree, field};
use std::collections::BTreeMap;

pub(super) fn counters(cpus: Option<&[u32]>) -> BTreeMap<&'static str, u64> {
    // Times in /proc/stat are in clock ticks (sysconf(_SC_CLK_TCK)): 10 ms nearly everywhere.
    let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
    read(&Tree::system(), cpus, tick_ns)
}

/// The online processors, including those that this process may not use: the first line of `/proc/stat` sums them.
pub(super) fn processors() -> u64 {
    let stat = Tree::system().text("/proc/stat").unwrap_or_default();
    let online = stat.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu ")).count();
    online.max(1) as u64
}

fn read(tree: &Tree, cpus: Option<&[u32]>, tick_ns: u64) -> BTreeMap<&'static str, u64> {
    let mut counters = BTreeMap::new();
    let mut put = |key, value: Option<u64>| {
        if let Some(value) = value {
            counters.insert(key, value);
        }
    };
    let stat = tree.text("/proc/stat").unwrap_or_default();
    let ticks = |column| Some(processor_ticks(&stat, cpus, column)? * tick_ns);
    put("irq_ns", ticks(IRQ));
    put("softirq_ns", ticks(SOFTIRQ));
    put("steal_ns", ticks(STEAL));
    for (key, resource) in
        [("cpu_pressure_ns", "cpu"), ("memory_pressure_ns", "memory"), ("io_pressure_ns", "io")]
    {
        put(key, pressure_ns(tree, resource));
    }
    let throttled = cgroup::throttled(tree);
    put("throttled_ns", throttled.map(|throttled| throttled.ns));
    put("throttled_periods", throttled.map(|throttled| throttled.periods));
    put("thermal_throttle_events", thermal_throttle_events(tree, cpus));
    counters
}

/// Columns after the name: user, nice, system, idle, iowait, irq, softirq, steal.
const IRQ: usize = 5;
const SOFTIRQ: usize = 6;
const STEAL: usize = 7;

/// The sum over the processors named, or the whole machine's line.
fn processor_ticks(stat: &str, cpus: Option<&[u32]>, column: usize) -> Option<u64> {
    let of_line = |name: &str| field(stat, name)?.split_whitespace().nth(column)?.parse::<u64>().ok();
    match cpus {
        None => of_line("cpu "),
        Some(cpus) => cpus.iter().map(|cpu| of_line(&format!("cpu{cpu} "))).sum(),
    }
}

/// `total=` of the line `some`: microseconds in which at least one task waited.
fn pressure_ns(tree: &Tree, resource: &str) -> Option<u64> {
    let some = tree.field(&format!("/proc/pressure/{resource}"), "some ")?;
    let total_us: u64 = some.split(' ').find_map(|part| part.strip_prefix("total="))?.parse().ok()?;
    Some(total_us * 1_000)
}

/// Returns the number of times that the processors throttled because of heat. A package counts for all its cores, so this takes the highest
/// package count, not the sum. Only Intel's thermal driver counts.
fn thermal_throttle_events(tree: &Tree, cpus: Option<&[u32]>) -> Option<u64> {
    let named: Vec<String> = match cpus {
        Some(cpus) => cpus.iter().map(|cpu| format!("cpu{cpu}")).collect(),
        None => tree.names("/sys/devices/system/cpu"),
    };
    let counts = |file: &str| -> Vec<u64> {
        let path = |cpu: &String| format!("/sys/devices/system/cpu/{cpu}/thermal_throttle/{file}");
        named.iter().filter_map(|cpu| tree.number(&path(cpu))).collect()
    };
    let (cores, packages) = (counts("core_throttle_count"), counts("package_throttle_count"));
    if cores.is_empty() && packages.is_empty() {
        return None;
    }
    Some(cores.iter().sum::<u64>() + packages.iter().max().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    const TICK_NS: u64 = 10_000_000;
    const STAT: &str = "cpu  857 9 214 176 11 3 36 18 0 0\n\
                        cpu0 420 5 100 899 3 1 4 7 0 0\n\
                        cpu1 436 4 113 863 7 2 32 11 0 0\n\
                        cpu10 1 1 1 1 1 100 100 100 0 0\n\
                        intr 1 2 3\n";

    #[test]
    fn converts_ticks_of_given_processors() {
        let (_folder, tree) = tree(&[("/proc/stat", STAT)]);
        let one = read(&tree, Some(&[1]), TICK_NS);
        assert_eq!(
            (one["irq_ns"], one["softirq_ns"], one["steal_ns"]),
            (20_000_000, 320_000_000, 110_000_000)
        );
        assert_eq!(read(&tree, Some(&[0, 1]), TICK_NS)["steal_ns"], 180_000_000);
        assert_eq!(read(&tree, None, TICK_NS)["steal_ns"], 180_000_000);
    }

    #[test]
    fn unlisted_processor_makes_the_counter_absent() {
        let (_folder, tree) = tree(&[("/proc/stat", STAT)]);
        assert_eq!(read(&tree, Some(&[1, 5]), TICK_NS).get("steal_ns"), None);
    }

    #[test]
    fn reads_total_pressure_in_nanoseconds() {
        let text = "some avg10=0.61 avg60=5.71 avg300=2.47 total=2930999\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        let (_folder, tree) =
            tree(&[("/proc/pressure/cpu", text), ("/proc/pressure/memory", "full total=3\n")]);
        let counters = read(&tree, None, TICK_NS);
        assert_eq!(counters["cpu_pressure_ns"], 2_930_999_000);
        assert_eq!(counters.get("memory_pressure_ns"), None);
    }

    #[test]
    fn counts_package_throttling_once() {
        let path = |cpu: u32, of: &str| format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{of}");
        let (first, second) = (path(0, "package_throttle_count"), path(1, "package_throttle_count"));
        let (core, other_core) = (path(0, "core_throttle_count"), path(1, "core_throttle_count"));
        let (_folder, tree) =
            tree(&[(&first, "5\n"), (&second, "5\n"), (&core, "2\n"), (&other_core, "1\n")]);
        assert_eq!(read(&tree, Some(&[0, 1]), TICK_NS)["thermal_throttle_events"], 8);
        assert_eq!(read(&tree, None, TICK_NS)["thermal_throttle_events"], 8);
        assert_eq!(read(&tree, Some(&[1]), TICK_NS)["thermal_throttle_events"], 6);
    }

    #[test]
    fn empty_kernel_gives_no_counters() {
        let (_folder, tree) = tree(&[]);
        assert!(read(&tree, None, TICK_NS).is_empty());
    }
}
