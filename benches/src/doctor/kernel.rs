//! Rules about how the system is set up, and how this program was built.

use super::Evidence;
use super::{Rule, Verdict};

/// Clock sources that a program reads without a system call and without asking a device: of Linux (vDSO), then of FreeBSD
/// (sys/vdso.h).
const FAST_CLOCKS: &[&str] = &[
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
    "timebase",
    "TSC",
    "TSC-low",
    "kvmclock",
    "Hyper-V-TSC",
    "ARM MPCore Timecounter",
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        slug: "build",
        why: "Without optimisation, the suite's own code takes longer than what it times.",
        judge: build,
    },
    Rule {
        slug: "clock-source",
        why: "A slow clock source makes each reading a system call or a device access.",
        judge: clock_source,
    },
    Rule {
        slug: "swap",
        why: "Memory that was swapped out is read back from the disk in the middle of something.",
        judge: swap,
    },
    Rule {
        slug: "huge-pages",
        why: "Where huge pages are always made, the kernel moves memory together behind a program's back.",
        judge: huge_pages,
    },
    Rule {
        slug: "nmi-watchdog",
        why: "The watchdog interrupts every processor and holds a performance counter.",
        judge: nmi_watchdog,
    },
    Rule {
        slug: "aslr",
        why: "Addresses differ from start to start; each repetition starts anew, so that this averages out.",
        judge: aslr,
    },
    Rule {
        slug: "mitigations",
        why: "They cost time in every system call: figures compare only where they are the same.",
        judge: mitigations,
    },
];

fn build(evidence: &Evidence) -> Verdict {
    if evidence.is_debug_build {
        return Verdict::noisy("a debug build", "cargo build --release");
    }
    Verdict::fine("release")
}

fn clock_source(evidence: &Evidence) -> Verdict {
    match evidence.fact("clock.source") {
        None => Verdict::unknown("this system does not tell"),
        Some(source) if FAST_CLOCKS.contains(&source) => Verdict::fine(source),
        Some(source) => Verdict::noisy(
            source,
            evidence.mend(
                &[
                    (
                        "linux",
                        "cd /sys/devices/system/clocksource/clocksource0\n\
                         cat available_clocksource\n\
                         echo tsc | sudo tee current_clocksource",
                    ),
                    (
                        "freebsd",
                        "sysctl kern.timecounter.choice\n\
                         sudo sysctl kern.timecounter.hardware=TSC-low",
                    ),
                ],
                "Choose one that the processor keeps itself.",
            ),
        ),
    }
}

fn swap(evidence: &Evidence) -> Verdict {
    match (evidence.number("memory.swap_mib"), evidence.number("memory.swap_used_kib")) {
        (Some(0), _) => Verdict::fine("none"),
        (_, None) => Verdict::unknown("this system does not tell"),
        (_, Some(0)) => Verdict::fine("not in use"),
        (_, Some(kib)) => Verdict::noisy(
            format!("{} MiB in use", kib.div_ceil(1_024)),
            evidence.mend(
                &[("linux", "sudo swapoff --all"), ("freebsd", "sudo swapoff -a")],
                "End what needs the memory, or start the machine anew.",
            ),
        ),
    }
}

fn huge_pages(evidence: &Evidence) -> Verdict {
    match evidence.fact("memory.transparent_huge_pages") {
        None => Verdict::unknown("this system does not tell"),
        Some("always") => {
            Verdict::noisy("always", "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled")
        }
        Some(other) => Verdict::fine(other),
    }
}

fn nmi_watchdog(evidence: &Evidence) -> Verdict {
    match evidence.fact("os.nmi_watchdog") {
        None => Verdict::unknown("this system does not tell"),
        Some("0") => Verdict::fine("off"),
        Some(_) => Verdict::noisy("on", "sudo sysctl kernel.nmi_watchdog=0"),
    }
}

/// Fine either way: it is told because it explains differences between starts.
fn aslr(evidence: &Evidence) -> Verdict {
    match evidence.fact("os.aslr") {
        None => Verdict::unknown("this system does not tell"),
        Some("0") => Verdict::fine("off"),
        Some(_) => Verdict::fine("on"),
    }
}

/// Fine either way: it is told because other machines differ in it.
fn mitigations(evidence: &Evidence) -> Verdict {
    let Some(all) = evidence.fact("cpu.mitigations") else {
        return Verdict::unknown("this system does not tell");
    };
    let count = |state: &str| all.split("; ").filter(|entry| entry.contains(&format!("={state}"))).count();
    let (active, open) = (count("Mitigation"), count("Vulnerable"));
    Verdict::fine(format!("{active} active, {open} not mitigated"))
}
