//! The processors: model, topology, frequency, idle states, mitigations.

use super::{Facts, cpuinfo};
use crate::sys::affinity;
use crate::sys::fingerprint::facts;
use crate::sys::tree::Tree;
use std::collections::BTreeSet;

const FOLDER: &str = "/sys/devices/system/cpu";

/// `cpu` is the one whose frequency and idle states are told.
pub(super) fn read(tree: &Tree, cpu: u32, facts: &mut Facts) {
    let of_all = |name: &str| format!("{FOLDER}/{name}");
    let of_one = |name: &str| format!("{FOLDER}/cpu{cpu}/{name}");
    facts.put("cpu.model", cpuinfo(tree, "model name").or_else(|| cpuinfo(tree, "CPU part")));
    facts.put("cpu.microcode", cpuinfo(tree, "microcode"));
    facts.file("cpu.online", tree, &of_all("online"));
    facts.put("cpu.allowed", affinity::allowed().ok().map(|cpus| cpus.len().to_string()));
    facts.put("cpu.topology", topology(tree));
    facts.file("cpu.smt", tree, &of_all("smt/control"));
    let isolated = tree.text(&of_all("isolated"));
    facts.put("cpu.isolated", isolated.map(|cpus| if cpus.is_empty() { "none".into() } else { cpus }));
    facts.put("cpu.mitigations", mitigations(tree));

    facts.file("cpu.governor", tree, &of_one("cpufreq/scaling_governor"));
    facts.file("cpu.frequency_driver", tree, &of_one("cpufreq/scaling_driver"));
    facts.file("cpu.frequency_preference", tree, &of_one("cpufreq/energy_performance_preference"));
    let frequency_mhz = |name: &str| Some(tree.number(&of_one(name))? / 1_000);
    let limits = frequency_mhz("cpufreq/scaling_min_freq").zip(frequency_mhz("cpufreq/scaling_max_freq"));
    facts.put("cpu.frequency_limits_mhz", limits.map(|(min, max)| format!("{min} to {max}")));
    facts.file("cpu.boost", tree, &of_all("cpufreq/boost"));
    facts.file("cpu.no_turbo", tree, &of_all("intel_pstate/no_turbo"));
    facts.file("cpu.amd_pstate", tree, &of_all("amd_pstate/status"));

    facts.file("cpu.idle_driver", tree, &of_all("cpuidle/current_driver"));
    let governor = tree.text(&of_all("cpuidle/current_governor"));
    facts.put("cpu.idle_governor", governor.or_else(|| tree.text(&of_all("cpuidle/current_governor_ro"))));
    let deepest = deepest_idle(tree, &of_one("cpuidle"));
    facts.put("cpu.idle_deepest", deepest.as_ref().map(|(name, _)| name.clone()));
    facts.put("cpu.idle_exit_us", deepest.map(|(_, exit_us)| exit_us.to_string()));
}

/// The enabled idle state that takes longest to leave, and how long that takes in microseconds, as its driver says.
fn deepest_idle(tree: &Tree, folder: &str) -> Option<(String, u64)> {
    let states = tree.names(folder).into_iter().filter_map(|state| {
        let enabled = tree.number(&format!("{folder}/{state}/disable")) != Some(1);
        let exit_us = tree.number(&format!("{folder}/{state}/latency"))?;
        enabled.then(|| tree.text(&format!("{folder}/{state}/name")).map(|name| (name, exit_us)))?
    });
    states.max_by_key(|&(_, exit_us)| exit_us)
}

/// `1 package, 4 cores, 8 threads`, of the processors that are online.
fn topology(tree: &Tree) -> Option<String> {
    let names = tree.names(FOLDER).into_iter();
    let cpus = names.filter(|name| name.strip_prefix("cpu").is_some_and(|id| id.parse::<u32>().is_ok()));
    let places: Vec<(u64, u64)> = cpus
        .filter_map(|cpu| {
            let package = tree.number(&format!("{FOLDER}/{cpu}/topology/physical_package_id"))?;
            Some((package, tree.number(&format!("{FOLDER}/{cpu}/topology/core_id"))?))
        })
        .collect();
    if places.is_empty() {
        return None;
    }
    let packages = places.iter().map(|place| place.0).collect::<BTreeSet<_>>().len();
    let cores = places.iter().collect::<BTreeSet<_>>().len();
    Some(facts::topology(packages, cores, places.len()))
}

/// `name=state; ...`, in the order of names.
fn mitigations(tree: &Tree) -> Option<String> {
    let folder = format!("{FOLDER}/vulnerabilities");
    let states: Vec<String> = tree
        .names(&folder)
        .into_iter()
        .filter_map(|name| tree.text(&format!("{folder}/{name}")).map(|state| format!("{name}={state}")))
        .collect();
    (!states.is_empty()).then(|| states.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    #[test]
    fn packages_cores_and_threads_are_counted() {
        let ids = [(0, 0, 0), (1, 0, 0), (2, 0, 1), (3, 1, 0)];
        let mut files: Vec<(String, String)> = vec![(format!("{FOLDER}/cpufreq/boost"), "1\n".into())];
        for (cpu, package, core) in ids {
            let folder = format!("{FOLDER}/cpu{cpu}/topology");
            files.push((format!("{folder}/physical_package_id"), format!("{package}\n")));
            files.push((format!("{folder}/core_id"), format!("{core}\n")));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, tree) = tree(&files);
        assert_eq!(topology(&tree).as_deref(), Some("2 packages, 3 cores, 4 threads"));
    }

    #[test]
    fn the_deepest_idle_state_is_the_slowest_that_is_enabled() {
        let path = |state: u32, name: &str| format!("{FOLDER}/cpu2/cpuidle/state{state}/{name}");
        let states =
            [(0, "POLL", "0", "0"), (1, "C1", "2", "0"), (2, "C6", "133", "0"), (3, "C10", "890", "1")];
        let mut files = Vec::new();
        for (state, name, latency, disable) in states {
            files.push((path(state, "name"), name));
            files.push((path(state, "latency"), latency));
            files.push((path(state, "disable"), disable));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let (_folder, tree) = tree(&files);
        let mut facts = Facts::default();
        read(&tree, 2, &mut facts);
        assert_eq!(
            (facts.0["cpu.idle_deepest"].as_str(), facts.0["cpu.idle_exit_us"].as_str()),
            ("C6", "133")
        );
    }

    #[test]
    fn frequency_limits_are_in_megahertz_and_an_empty_isolation_is_none() {
        let (_folder, tree) = tree(&[
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "800000\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3600000\n"),
            ("/sys/devices/system/cpu/isolated", "\n"),
            ("/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n"),
        ]);
        let mut facts = Facts::default();
        read(&tree, 0, &mut facts);
        assert_eq!(facts.0["cpu.frequency_limits_mhz"], "800 to 3600");
        assert_eq!(facts.0["cpu.isolated"], "none");
        assert_eq!(facts.0["cpu.mitigations"], "meltdown=Not affected");
    }
}
