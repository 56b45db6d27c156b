//! What varies from minute to minute, and what a session of a user decides.

use super::machine::meminfo_kib;
use super::{Facts, cpuinfo};
use crate::sys::tree::{Tree, field};

pub(super) fn read(tree: &Tree, facts: &mut Facts) {
    facts.file("load.average", tree, "/proc/loadavg");
    for resource in ["cpu", "memory", "io"] {
        let text = tree.text(&format!("/proc/pressure/{resource}"));
        let some = text.and_then(|text| text.lines().next().map(str::to_owned));
        facts.put(&format!("load.{resource}_pressure"), some);
    }
    let stat = tree.text("/proc/stat").unwrap_or_default();
    facts.put("load.steal_ticks", ticks(&stat).get(STEAL).map(u64::to_string));
    facts.put(
        "load.all_ticks",
        ticks(&stat).iter().take(STEAL + 1).copied().reduce(|a, b| a + b).map(|all| all.to_string()),
    );
    facts.put("load.runnable_tasks", others_runnable(&stat));
    facts.put("cpu.frequency_mhz", cpuinfo(tree, "cpu MHz"));
    facts.put("cpu.temperature_celsius", temperature(tree));
    facts.put("memory.available_kib", meminfo_kib(tree, "MemAvailable:").map(|kib| kib.to_string()));
    let swap = meminfo_kib(tree, "SwapTotal:").zip(meminfo_kib(tree, "SwapFree:"));
    facts.put("memory.swap_used_kib", swap.map(|(total, free)| total.saturating_sub(free).to_string()));
    facts.put("machine.power", power(tree));
    let uptime = tree.text("/proc/uptime").and_then(|text| text.split(' ').next().map(str::to_owned));
    facts.put("machine.uptime_seconds", uptime);
    facts.put("os.capabilities", capabilities(tree));
    facts.file("os.perf_event_paranoid", tree, "/proc/sys/kernel/perf_event_paranoid");
    // The file is absent without Yama, and then nothing is forbidden beyond ptrace(2)'s own rules.
    let scope = tree.text("/proc/sys/kernel/yama/ptrace_scope");
    facts.put("os.ptrace_scope", Some(scope.unwrap_or_else(|| "no Yama".into())));
}

/// The column of steal in the `cpu` lines (`proc_stat(5)`); guest times after it are part of user and nice.
const STEAL: usize = 7;

fn ticks(stat: &str) -> Vec<u64> {
    let line = field(stat, "cpu ").unwrap_or_default();
    line.split_whitespace().filter_map(|ticks| ticks.parse().ok()).collect()
}

/// Tasks that run or want to, without the one that reads this.
fn others_runnable(stat: &str) -> Option<String> {
    let runnable: u64 = field(stat, "procs_running ")?.parse().ok()?;
    Some(runnable.saturating_sub(1).to_string())
}

/// The effective capabilities as a mask. Inside a user namespace of its own a process seems to have all of them and
/// may nevertheless not touch what belongs to the machine (`user_namespaces(7)`).
fn capabilities(tree: &Tree) -> Option<String> {
    let map = tree.text("/proc/self/uid_map")?;
    let is_initial = map.split_whitespace().eq(["0", "0", "4294967295"]);
    if is_initial { tree.field("/proc/self/status", "CapEff:") } else { Some("0".into()) }
}

/// The hottest zone that is a processor's.
fn temperature(tree: &Tree) -> Option<String> {
    /// How drivers call a processor's zone: Intel, AMD, ACPI, ARM.
    const KINDS: &[&str] = &["x86_pkg_temp", "k10temp", "acpitz", "cpu"];
    let folder = "/sys/class/thermal";
    let zones = tree.names(folder).into_iter().filter_map(|zone| {
        let kind = tree.text(&format!("{folder}/{zone}/type"))?;
        let millidegrees = tree.number(&format!("{folder}/{zone}/temp"))?;
        KINDS.iter().any(|known| kind.starts_with(known)).then_some(millidegrees)
    });
    // AMD's driver shows its sensor only as a hardware monitor.
    let monitors = tree.names("/sys/class/hwmon").into_iter().filter_map(|monitor| {
        let folder = format!("/sys/class/hwmon/{monitor}");
        let kind = tree.text(&format!("{folder}/name"))?;
        if kind != "k10temp" && kind != "coretemp" {
            return None;
        }
        tree.number(&format!("{folder}/temp1_input"))
    });
    zones.chain(monitors).max().map(|millidegrees| (millidegrees / 1_000).to_string())
}

/// `mains` when a supply is plugged in, `battery` when there is only one to live on.
fn power(tree: &Tree) -> Option<String> {
    let folder = "/sys/class/power_supply";
    let supplies = tree.names(folder);
    let text = |supply: &str, name: &str| tree.text(&format!("{folder}/{supply}/{name}")).unwrap_or_default();
    let discharging = supplies
        .iter()
        // A mouse has a battery, too: its scope is `Device`.
        .filter(|supply| text(supply, "type") == "Battery" && text(supply, "scope") != "Device")
        .any(|supply| text(supply, "status") == "Discharging");
    let plugged = supplies.iter().any(|supply| text(supply, "online") == "1");
    match (discharging, plugged) {
        (true, _) => Some("battery".into()),
        (false, true) => Some("mains".into()),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    fn read_from(files: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
        let (_folder, tree) = tree(files);
        let mut facts = Facts::default();
        read(&tree, &mut facts);
        facts.0
    }

    #[test]
    fn counts_of_the_machine_are_read_from_stat() {
        let facts = read_from(&[("/proc/stat", "cpu  10 1 5 80 2 1 1 4 7 0\ncpu0 1 1\nprocs_running 3\n")]);
        assert_eq!(facts["load.steal_ticks"], "4");
        assert_eq!(facts["load.all_ticks"], "104");
        assert_eq!(facts["load.runnable_tasks"], "2");
    }

    #[test]
    fn a_battery_that_is_used_is_the_power_and_that_of_a_mouse_is_not() {
        let path = |supply: &str, name: &str| format!("/sys/class/power_supply/{supply}/{name}");
        let (kind, status, scope) = (path("BAT0", "type"), path("BAT0", "status"), path("BAT0", "scope"));
        let laptop = [(kind.as_str(), "Battery\n"), (&status, "Discharging\n")];
        assert_eq!(read_from(&laptop)["machine.power"], "battery");
        let mouse = [(kind.as_str(), "Battery\n"), (&status, "Discharging\n"), (&scope, "Device\n")];
        assert!(read_from(&mouse)["machine.power"].starts_with("not available"));
        let (mains, online) = (path("AC", "type"), path("AC", "online"));
        assert_eq!(read_from(&[(&mains, "Mains\n"), (&online, "1\n")])["machine.power"], "mains");
    }

    #[test]
    fn the_hottest_sensor_of_a_processor_counts() {
        let facts = read_from(&[
            ("/sys/class/thermal/thermal_zone0/type", "iwlwifi_1\n"),
            ("/sys/class/thermal/thermal_zone0/temp", "90000\n"),
            ("/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n"),
            ("/sys/class/thermal/thermal_zone1/temp", "61500\n"),
        ]);
        assert_eq!(facts["cpu.temperature_celsius"], "61");
    }

    #[test]
    fn capabilities_inside_a_user_namespace_do_not_count() {
        let status = ("/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
        let initial = read_from(&[status, ("/proc/self/uid_map", "         0          0 4294967295\n")]);
        assert_eq!(initial["os.capabilities"], "000001ffffffffff");
        assert_eq!(read_from(&[status, ("/proc/self/uid_map", "0 1000 1\n")])["os.capabilities"], "0");
    }

    #[test]
    fn swap_in_use_is_total_less_free() {
        let facts = read_from(&[("/proc/meminfo", "SwapTotal:  2000 kB\nSwapFree:   1500 kB\n")]);
        assert_eq!(facts["memory.swap_used_kib"], "500");
    }
}
