//! Rules about the processors: how fast they run from one moment to the next.

use super::Evidence;
use super::{Rule, Verdict};
use crate::sys::tree::numbers;

/// An idle state that takes longer to leave than this shows in a round trip, which takes some microseconds itself.
const IDLE_EXIT_US_MAX: u64 = 10;

/// With fewer, the rest of the system has no processor of its own beside the two that are measured on.
const PROCESSORS_MIN: u64 = 4;

pub(super) const RULES: &[Rule] = &[
    Rule {
        slug: "governor",
        why: "Any governor but performance changes the frequency while messages are timed.",
        judge: governor,
    },
    Rule {
        slug: "turbo",
        why: "Turbo depends on heat and on what other cores do, so it differs from run to run.",
        judge: turbo,
    },
    Rule { slug: "smt", why: "A busy sibling takes about half of what a core can do.", judge: smt },
    Rule {
        slug: "idle-states",
        why: "Who waits for a message lets the processor sleep, and waking it is added to the time.",
        judge: idle_states,
    },
    Rule {
        slug: "processors",
        why: "With few processors, cross-cpu and the harness share them with everything else that runs.",
        judge: processors,
    },
    Rule {
        slug: "isolation",
        why: "On an isolated processor the scheduler puts nothing else.",
        judge: isolation,
    },
    Rule {
        slug: "heat",
        why: "A processor that is too hot slows itself down for seconds at a time.",
        judge: heat,
    },
    Rule { slug: "power", why: "On battery, firmware and system keep the processor slow.", judge: power },
];

/// Where a guest does not see it, its host decides.
fn not_shown(evidence: &Evidence, what: &str) -> Verdict {
    let who = if evidence.is_guest() { ": the host decides" } else { " by this system" };
    Verdict::unknown(format!("{what} not shown{who}"))
}

fn governor(evidence: &Evidence) -> Verdict {
    match (evidence.fact("cpu.governor"), evidence.fact("machine.power_scheme")) {
        (Some("performance"), _) => Verdict::fine("performance"),
        (Some(other), _) => Verdict::noisy(other, "sudo cpupower frequency-set -g performance"),
        (None, Some("high performance")) => Verdict::fine("the power scheme is high performance"),
        (None, Some(other)) => {
            Verdict::noisy(format!("the power scheme is {other}"), "powercfg /setactive SCHEME_MIN")
        }
        (None, None) => match evidence.fact("cpu.powerd") {
            Some("yes") => Verdict::noisy("powerd changes the frequency", "sudo service powerd stop"),
            Some(_) => Verdict::fine("nothing changes the frequency: powerd does not run"),
            None => not_shown(evidence, "the frequency governor is"),
        },
    }
}

fn turbo(evidence: &Evidence) -> Verdict {
    match (evidence.fact("cpu.no_turbo"), evidence.fact("cpu.boost")) {
        (Some("1"), _) | (None, Some("0")) => Verdict::fine("off"),
        (Some(_), _) => {
            Verdict::noisy("on", "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo")
        }
        (None, Some(_)) => Verdict::noisy("on", "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"),
        (None, None) => not_shown(evidence, "its state is"),
    }
}

fn smt(evidence: &Evidence) -> Verdict {
    match evidence.fact("cpu.smt") {
        None => not_shown(evidence, "the state of siblings is"),
        Some("on") => Verdict::noisy(
            "on: two threads a core",
            evidence.mend(
                &[("linux", "echo off | sudo tee /sys/devices/system/cpu/smt/control")],
                "Switch it off in the firmware's settings.",
            ),
        ),
        Some(_) if evidence.is_guest() => Verdict::fine("off as far as a guest can see"),
        Some(_) => Verdict::fine("off"),
    }
}

fn idle_states(evidence: &Evidence) -> Verdict {
    let Some((name, exit_us)) = evidence.fact("cpu.idle_deepest").zip(evidence.number("cpu.idle_exit_us"))
    else {
        return not_shown(evidence, "idle states are");
    };
    let found = format!("the deepest is {name}, {exit_us} us to leave");
    if exit_us > IDLE_EXIT_US_MAX {
        let on_linux = format!("sudo cpupower idle-set -D {IDLE_EXIT_US_MAX}");
        let commands = [("linux", on_linux.as_str()), ("freebsd", "sudo sysctl hw.acpi.cpu.cx_lowest=C1")];
        return Verdict::noisy(found, evidence.mend(&commands, "Forbid it in the firmware's settings."));
    }
    Verdict::fine(found)
}

fn processors(evidence: &Evidence) -> Verdict {
    let Some(count) = evidence.number("cpu.allowed") else {
        return Verdict::unknown("this system does not tell which processors may be used");
    };
    let found = format!("{count} may be used");
    if count < PROCESSORS_MIN {
        let mend = format!("Measure on a machine that has {PROCESSORS_MIN} processors or more.");
        return Verdict::noisy(found, mend);
    }
    Verdict::fine(found)
}

fn isolation(evidence: &Evidence) -> Verdict {
    let Some(isolated) = evidence.fact("cpu.isolated") else {
        return Verdict::unknown("this system does not tell which processors are isolated");
    };
    // `3 and 1: different cores`
    let used = evidence.fact("placement.cross_cpu").and_then(|text| text.split(':').next()).unwrap_or("");
    let used: Vec<u32> = used.split(" and ").filter_map(|cpu| cpu.parse().ok()).collect();
    let list = used.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let isolated_cpus = numbers(isolated);
    if isolated_cpus.is_empty() {
        return match evidence.number("cpu.allowed") {
            Some(count) if count >= PROCESSORS_MIN && !used.is_empty() => Verdict::noisy(
                "no processor is isolated",
                format!(
                    "Start the kernel with: isolcpus={list} nohz_full={list} rcu_nocbs={list}\n\
                     taskset -c {list} roundtrip run"
                ),
            ),
            _ => Verdict::fine("none, and there are too few to spare any"),
        };
    }
    if used.is_empty() || used.iter().any(|cpu| !isolated_cpus.contains(cpu)) {
        // The scheduler gives nobody an isolated processor who does not ask for it.
        let found = format!("cpus {isolated} are isolated, and others are measured on");
        return Verdict::noisy(found, format!("taskset -c {isolated} roundtrip run"));
    }
    Verdict::fine(format!("measured on isolated cpus {list}"))
}

fn heat(evidence: &Evidence) -> Verdict {
    let at = evidence.number("cpu.temperature_celsius").map(|celsius| format!(", {celsius} degrees Celsius"));
    let at = at.unwrap_or_default();
    let watched = |key| evidence.noise.get(key).copied();
    match (watched("thermal_throttle_events"), watched("thermal_pressure_level")) {
        (None, None) => not_shown(evidence, "throttling is"),
        (Some(0), _) => Verdict::fine(format!("not slowed down while watched{at}")),
        (None, Some(0)) => Verdict::fine("no thermal pressure"),
        (None, Some(level)) => {
            Verdict::noisy(format!("thermal pressure {level} of 4"), "Let it cool down, or clean its fans.")
        }
        (Some(events), _) => Verdict::noisy(
            format!("slowed down {events} times within a second{at}"),
            "Let it cool down, clean its fans, or lower the limit:\n\
             sudo cpupower frequency-set --max 2GHz",
        ),
    }
}

fn power(evidence: &Evidence) -> Verdict {
    match evidence.fact("machine.power") {
        // Linux shows what supplies there are, and none is none.
        None if evidence.is_linux() => Verdict::fine("no battery"),
        None => not_shown(evidence, "the source of power is"),
        Some("mains") => Verdict::fine("mains"),
        Some(other) => Verdict::noisy(other, "Plug it in."),
    }
}
