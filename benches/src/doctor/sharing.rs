//! Rules about whom the processors are shared with: a host, other guests, a cgroup, other tasks.

use super::Evidence;
use super::{Rule, Verdict};
use crate::sys::noise;

/// A one-minute average above this means that something ran half of the time.
const LOAD_MAX: f64 = 0.5;

/// Nothing is measured while the doctor watches, so nobody should wait for a processor: in 25 windows of 200 ms on an
/// idle machine of two processors tasks waited 0 % in most of them and 2.1 % in the worst.
const IDLE_CPU_PRESSURE_PERCENT_MAX: f64 = 5.0;

pub(super) const RULES: &[Rule] = &[
    Rule {
        slug: "virtual-machine",
        why: "A host can stop a guest at any moment, and waking an idle guest takes longer.",
        judge: virtual_machine,
    },
    Rule {
        slug: "steal",
        why: "While the hypervisor runs another guest, ours stands still and its clocks go on.",
        judge: steal,
    },
    Rule {
        slug: "quota",
        why: "A cgroup that has used up its quota stands still until the next period.",
        judge: quota,
    },
    Rule {
        slug: "load",
        why: "Other tasks take time, caches and memory from those that are measured.",
        judge: load,
    },
    Rule {
        slug: "other-tasks",
        why: "Who waits for a processor now will also wait while messages are timed.",
        judge: other_tasks,
    },
    Rule {
        slug: "memory-pressure",
        why: "A machine that has to look for free memory stops tasks at any moment.",
        judge: memory_pressure,
    },
];

fn virtual_machine(evidence: &Evidence) -> Verdict {
    match evidence.fact("machine.hypervisor") {
        None => Verdict::unknown("this system does not tell"),
        Some("none") => Verdict::fine("not a guest"),
        Some(_) => {
            let under = evidence.fact("machine.hypervisor_vendor").map(|name| format!(" of {name}"));
            let found = format!("a guest{}", under.unwrap_or_default());
            Verdict::noisy(found, "Measure on a machine of its own, or on a guest with dedicated processors.")
        }
    }
}

fn steal(evidence: &Evidence) -> Verdict {
    if evidence.fact("machine.hypervisor").is_some() && !evidence.is_guest() {
        return Verdict::fine("not a guest");
    }
    let cpus = evidence.noise.get("machine_cpus").copied().unwrap_or(1).max(1);
    let now = evidence.watched_percent("steal_ns").map(|percent| percent / cpus as f64);
    let since_start = evidence
        .number("load.steal_ticks")
        .zip(evidence.number("load.all_ticks").filter(|&ticks| ticks > 0))
        .map(|(steal, all)| steal as f64 / all as f64 * 100.0);
    let (Some(now), Some(since_start)) = (now, since_start) else {
        return Verdict::unknown("this system does not tell");
    };
    let found = format!("{now:.1} % of processor time while watched, {since_start:.2} % since start");
    if now.max(since_start) > noise::STEAL_SHARE_MAX * 100.0 {
        return Verdict::noisy(found, "Ask for a host that is less crowded, or for dedicated processors.");
    }
    Verdict::fine(found)
}

fn quota(evidence: &Evidence) -> Verdict {
    match evidence.fact("limit.job_cpu") {
        Some("none") => return Verdict::fine("no job object limits it"),
        Some(rate) => {
            return Verdict::noisy(
                format!("a job object leaves it {rate} of the processors"),
                "Start it outside of that job: not in a container, and not by that service.",
            );
        }
        None if !evidence.is_linux() => return Verdict::unknown("this system does not tell"),
        None => {}
    }
    let Some(quota) = evidence.fact("limit.cgroup_cpu") else {
        return Verdict::fine("no control groups");
    };
    let Some((quota_us, period_us)) = quota
        .split_once(' ')
        .and_then(|(quota, period)| Some((quota.parse::<u64>().ok()?, period.parse::<u64>().ok()?)))
    else {
        return Verdict::fine("none");
    };
    let found = format!("{quota_us} us of each {period_us} us");
    let mend = "Start the container without --cpus and --cpu-quota; in a systemd unit:\n\
                sudo systemctl set-property NAME.service CPUQuota=";
    Verdict::noisy(found, mend)
}

fn load(evidence: &Evidence) -> Verdict {
    let average = evidence.fact("load.average").and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let (average, found) = match (average, evidence.busy_processors()) {
        (Some(average), _) => (average, format!("{average:.2} over the last minute")),
        // Where no queue is told, what was busy is what ran.
        (None, Some(busy)) => (busy, format!("{busy:.2} processors were busy while watched")),
        (None, None) => return Verdict::unknown("this system does not tell"),
    };
    if average > LOAD_MAX {
        let wait = format!("Wait until it is below {LOAD_MAX}, or end what runs");
        let show = |which: &str| format!("{wait}:\n{which}");
        let on_linux = show("ps -eo pid,psr,pcpu,comm --sort=-pcpu | head");
        let on_bsd = show("ps -axo pid,pcpu,comm -r | head");
        let commands = [("linux", &*on_linux), ("freebsd", &on_bsd), ("macos", &on_bsd)];
        return Verdict::noisy(found, evidence.mend(&commands, &format!("{wait}.")));
    }
    Verdict::fine(found)
}

fn other_tasks(evidence: &Evidence) -> Verdict {
    let waited = evidence.watched_percent("cpu_pressure_ns");
    let runnable = evidence.number("load.runnable_tasks");
    let found = match (runnable, waited) {
        (None, None) => return Verdict::unknown("this system does not tell"),
        (Some(tasks), None) => format!("{tasks} runnable"),
        (None, Some(percent)) => format!("tasks waited for a processor {percent:.1} % of the time"),
        (Some(tasks), Some(percent)) => {
            format!("{tasks} runnable, tasks waited for a processor {percent:.1} % of the time")
        }
    };
    if runnable > Some(0) || waited > Some(IDLE_CPU_PRESSURE_PERCENT_MAX) {
        return Verdict::noisy(found, "ps -eo pid,psr,pcpu,comm --sort=-pcpu | head");
    }
    Verdict::fine(found)
}

fn memory_pressure(evidence: &Evidence) -> Verdict {
    let Some(percent) = evidence.watched_percent("memory_pressure_ns") else {
        return Verdict::unknown("this system does not tell");
    };
    let found = format!("tasks waited for memory {percent:.1} % of the time");
    if percent > noise::MEMORY_PRESSURE_SHARE_MAX * 100.0 {
        return Verdict::noisy(found, "ps -eo pid,rss,comm --sort=-rss | head");
    }
    Verdict::fine(found)
}
