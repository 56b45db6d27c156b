//! Each rule with the facts of a quiet machine, and with one fact changed.

use super::*;

/// A dedicated machine, set up for measuring.
fn quiet() -> Evidence {
    let facts = [
        ("clock.source", "tsc"),
        ("cpu.allowed", "16"),
        ("cpu.boost", "0"),
        ("cpu.governor", "performance"),
        ("cpu.idle_deepest", "C1"),
        ("cpu.idle_exit_us", "2"),
        ("cpu.isolated", "14-15"),
        ("cpu.mitigations", "meltdown=Not affected; spectre_v2=Mitigation: Retpolines"),
        ("cpu.smt", "off"),
        ("cpu.temperature_celsius", "41"),
        ("limit.cgroup_cpu", "max"),
        ("limit.open_files", "1024"),
        ("limit.pipe_max_bytes", "1048576"),
        ("limit.queue_bytes", "unlimited"),
        ("limit.queue_message_bytes", "1048576"),
        ("limit.queue_messages", "10"),
        ("limit.socket_receive_max_bytes", "4194304"),
        ("limit.socket_send_max_bytes", "4194304"),
        ("load.all_ticks", "100000"),
        ("load.average", "0.08 0.10 0.20 1/300 4711"),
        ("load.runnable_tasks", "0"),
        ("load.steal_ticks", "0"),
        ("machine.hypervisor", "none"),
        ("machine.power", "mains"),
        ("memory.swap_mib", "8191"),
        ("memory.swap_used_kib", "0"),
        ("memory.transparent_huge_pages", "madvise"),
        ("os.aslr", "2"),
        ("os.capabilities", "0000000000000000"),
        ("os.nmi_watchdog", "0"),
        ("os.perf_event_paranoid", "1"),
        ("os.ptrace_scope", "1"),
        ("placement.cross_cpu", "15 and 14: different cores"),
    ];
    let noise = [
        ("elapsed_ns", 1_000_000_000),
        ("machine_cpus", 16),
        ("steal_ns", 0),
        ("cpu_pressure_ns", 2_000_000),
        ("memory_pressure_ns", 0),
        ("thermal_throttle_events", 0),
    ];
    Evidence {
        system: "linux",
        facts: facts.iter().map(|&(key, value)| (key.into(), value.into())).collect(),
        noise: noise.iter().map(|&(key, value)| (key.into(), value)).collect(),
        is_debug_build: false,
        needs: Needs { queue_message_bytes: 1_048_576, buffer_bytes: 1_048_576 },
    }
}

fn found(slug: &str, evidence: &Evidence) -> Finding {
    findings(evidence).into_iter().find(|finding| finding.slug == slug).unwrap()
}

/// A rule's finding for the quiet machine with changed facts; an empty value is not available.
fn with(slug: &str, changes: &[(&str, &str)]) -> Finding {
    let mut evidence = quiet();
    for &(key, value) in changes {
        let value = if value.is_empty() { "not available: this kernel does not show it" } else { value };
        evidence.facts.insert(key.into(), value.into());
    }
    found(slug, &evidence)
}

fn with_noise(slug: &str, changes: &[(&str, u64)]) -> Finding {
    let mut evidence = quiet();
    evidence.facts.insert("machine.hypervisor".into(), "yes".into());
    evidence.noise.extend(changes.iter().map(|&(key, value)| (key.to_owned(), value)));
    found(slug, &evidence)
}

#[test]
fn finds_nothing_on_a_quiet_machine() {
    let troubles: Vec<Finding> =
        findings(&quiet()).into_iter().filter(|finding| finding.state != State::Fine).collect();
    assert_eq!(troubles, []);
}

#[test]
fn slugs_are_unique() {
    let mut slugs: Vec<&str> = findings(&quiet()).iter().map(|finding| finding.slug).collect();
    let count = slugs.len();
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!(slugs.len(), count);
}

#[test]
fn finds_each_problem_and_its_fix() {
    use State::{Limiting, Noisy};
    let cases: &[(&str, (&str, &str), State, &str)] = &[
        ("governor", ("cpu.governor", "powersave"), Noisy, "cpupower frequency-set -g performance"),
        ("turbo", ("cpu.boost", "1"), Noisy, "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"),
        (
            "turbo",
            ("cpu.no_turbo", "0"),
            Noisy,
            "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
        ),
        ("smt", ("cpu.smt", "on"), Noisy, "echo off"),
        ("idle-states", ("cpu.idle_exit_us", "133"), Noisy, "cpupower idle-set -D 10"),
        ("processors", ("cpu.allowed", "2"), Noisy, "4 or more CPUs"),
        ("isolation", ("cpu.isolated", "none"), Noisy, "isolcpus=15,14 "),
        ("isolation", ("cpu.isolated", "2-3"), Noisy, "taskset -c 2-3 roundtrip run"),
        ("power", ("machine.power", "battery"), Noisy, "Plug in"),
        ("virtual-machine", ("machine.hypervisor", "yes"), Noisy, "physical machine"),
        ("quota", ("limit.cgroup_cpu", "150000 100000"), Noisy, "CPUQuota="),
        ("load", ("load.average", "0.51 0.2 0.1 1/9 1"), Noisy, "ps -eo"),
        ("other-tasks", ("load.runnable_tasks", "1"), Noisy, "ps -eo"),
        ("clock-source", ("clock.source", "hpet"), Noisy, "tee current_clocksource"),
        ("swap", ("memory.swap_used_kib", "1"), Noisy, "swapoff"),
        ("huge-pages", ("memory.transparent_huge_pages", "always"), Noisy, "echo madvise"),
        ("nmi-watchdog", ("os.nmi_watchdog", "1"), Noisy, "kernel.nmi_watchdog=0"),
        ("message-queues", ("limit.queue_message_bytes", "8192"), Limiting, "fs.mqueue.msgsize_max=1048576"),
        ("message-queues", ("limit.queue_messages", "9"), Limiting, "fs.mqueue.msg_max=10"),
        // 2 queues of 10 messages of 1 MiB and 128 B.
        ("message-queues", ("limit.queue_bytes", "819200"), Limiting, "--msgqueue=20974080"),
        ("pipe-size", ("limit.pipe_max_bytes", "65536"), Limiting, "fs.pipe-max-size=1048576"),
        ("socket-buffers", ("limit.socket_send_max_bytes", "212992"), Limiting, "net.core.wmem_max=1048576"),
        ("open-files", ("limit.open_files", "64"), Limiting, "ulimit -n"),
        ("perf-events", ("os.perf_event_paranoid", "2"), Limiting, "kernel.perf_event_paranoid=1"),
        ("ptrace", ("os.ptrace_scope", "2"), Limiting, "kernel.yama.ptrace_scope=1"),
    ];
    for &(slug, change, state, fix) in cases {
        let finding = with(slug, &[change]);
        assert_eq!(finding.state, state, "{finding:?}");
        assert!(finding.fix.as_deref().is_some_and(|text| text.contains(fix)), "{finding:?}");
        // With an indent of 6, it fits into 80 columns, so that it can be copied.
        assert!(finding.fix.iter().flat_map(|text| text.lines()).all(|line| line.len() <= 74), "{finding:?}");
    }
}

#[test]
fn missing_facts_are_unknown() {
    for (slug, key) in [
        ("governor", "cpu.governor"),
        ("turbo", "cpu.boost"),
        ("smt", "cpu.smt"),
        ("swap", "memory.swap_used_kib"),
    ] {
        assert_eq!(with(slug, &[(key, "")]).state, State::Unknown, "{slug}");
    }
    let guest = with("governor", &[("cpu.governor", ""), ("machine.hypervisor", "yes")]);
    assert!(guest.found.ends_with("the host controls it"), "{guest:?}");
    assert!(findings(&Evidence::default()).iter().all(|finding| !finding.found.is_empty()));
}

/// A machine of another system with these facts.
fn elsewhere(facts: &[(&str, &str)], noise: &[(&str, u64)]) -> Evidence {
    Evidence {
        system: "windows",
        facts: facts.iter().map(|&(key, value)| (key.into(), value.into())).collect(),
        noise: noise.iter().map(|&(key, value)| (key.into(), value)).collect(),
        ..Evidence::default()
    }
}

#[test]
fn no_facts_give_no_verdict() {
    let known: Vec<Finding> = findings(&elsewhere(&[], &[]))
        .into_iter()
        .filter(|finding| finding.state != State::Unknown && finding.slug != "build")
        .collect();
    assert_eq!(known, []);
}

#[test]
fn suggests_linux_commands_only_on_linux() {
    let evidence = elsewhere(
        &[
            ("cpu.smt", "on"),
            ("limit.job_cpu", "at most 20.00 %"),
            ("machine.hypervisor", "none"),
            ("machine.power", "battery"),
            ("machine.power_scheme", "balanced"),
            ("memory.swap_used_kib", "2048"),
        ],
        &[("elapsed_ns", 1_000_000_000), ("busy_ns", 1_500_000_000), ("thermal_pressure_level", 1)],
    );
    let noisy: Vec<Finding> =
        findings(&evidence).into_iter().filter(|finding| finding.state == State::Noisy).collect();
    let slugs: Vec<&str> = noisy.iter().map(|finding| finding.slug).collect();
    assert_eq!(slugs, ["governor", "smt", "heat", "power", "quota", "load", "swap"]);
    let words = ["sudo", "cpupower", "/sys/", "ps -eo"];
    let of_linux = |finding: &Finding| {
        finding.fix.as_deref().is_none_or(|fix| words.iter().any(|word| fix.contains(word)))
    };
    assert!(!noisy.iter().any(of_linux), "{noisy:?}");
    assert_eq!(found("load", &evidence).found, "1.50 CPUs busy while observed");
    let fine = elsewhere(
        &[("limit.job_cpu", "none"), ("machine.power_scheme", "high performance")],
        &[("elapsed_ns", 1_000_000_000), ("busy_ns", 20_000_000), ("thermal_pressure_level", 0)],
    );
    for slug in ["governor", "heat", "quota", "load"] {
        assert_eq!(found(slug, &fine).state, State::Fine, "{slug}");
    }
}

#[test]
fn suggests_freebsd_commands_on_freebsd() {
    let evidence = Evidence {
        system: "freebsd",
        needs: Needs { queue_message_bytes: 65_536, buffer_bytes: 4 << 20 },
        ..elsewhere(
            &[
                ("clock.source", "HPET"),
                ("cpu.idle_deepest", "C3"),
                ("cpu.idle_exit_us", "57"),
                ("cpu.powerd", "yes"),
                ("limit.queue_messages", "100"),
                ("limit.queue_message_bytes", "16384"),
                ("limit.socket_receive_max_bytes", "2097152"),
                ("limit.socket_send_max_bytes", "2097152"),
                ("load.average", "1.50 1.00 1.00"),
                ("memory.swap_used_kib", "2048"),
            ],
            &[],
        )
    };
    let fixed: Vec<(&str, String)> = findings(&evidence)
        .into_iter()
        .filter_map(|finding| Some((finding.slug, finding.fix?)))
        .filter(|(slug, _)| *slug != "build")
        .collect();
    let fixed: Vec<_> = fixed.iter().map(|(slug, fix)| (*slug, fix.as_str())).collect();
    assert_eq!(
        fixed,
        [
            ("governor", "sudo service powerd stop"),
            ("idle-states", "sudo sysctl hw.acpi.cpu.cx_lowest=C1"),
            ("load", "Wait until it is below 0.5, or stop other programs:\nps -axo pid,pcpu,comm -r | head"),
            ("clock-source", "sysctl kern.timecounter.choice\nsudo sysctl kern.timecounter.hardware=TSC-low"),
            ("swap", "sudo swapoff -a"),
            ("message-queues", "sudo sysctl kern.mqueue.maxmsgsize=65536"),
            ("socket-buffers", "sudo sysctl kern.ipc.maxsockbuf=8388608"),
        ]
    );
    let fine = Evidence {
        system: "freebsd",
        ..elsewhere(&[("clock.source", "TSC-low"), ("cpu.powerd", "none")], &[])
    };
    for slug in ["clock-source", "governor"] {
        assert_eq!(found(slug, &fine).state, State::Fine, "{slug}");
    }
    let queues = found("message-queues", &fine);
    assert_eq!(
        (queues.found.as_str(), queues.fix.as_deref()),
        ("mqueuefs is not loaded", Some("sudo kldload mqueuefs"))
    );
}

#[test]
fn capabilities_remove_limits() {
    let root = ("os.capabilities", "000001ffffffffff");
    for change in [
        ("perf-events", ("os.perf_event_paranoid", "3")),
        ("ptrace", ("os.ptrace_scope", "2")),
        ("pipe-size", ("limit.pipe_max_bytes", "65536")),
        ("message-queues", ("limit.queue_message_bytes", "8192")),
    ] {
        assert_eq!(with(change.0, &[change.1, root]).state, State::Fine, "{change:?}");
    }
    // Forbidden even to root.
    assert_eq!(with("ptrace", &[("os.ptrace_scope", "3"), root]).state, State::Limiting);
    assert_eq!(with("message-queues", &[("limit.queue_bytes", "819200"), root]).state, State::Limiting);
}

#[test]
fn steal_counts_now_and_since_boot() {
    let quiet = with_noise("steal", &[("steal_ns", 10_000_000)]);
    assert_eq!(
        (quiet.state, quiet.found.as_str()),
        (State::Fine, "0.1 % of CPU time while observed, 0.00 % since boot")
    );
    assert_eq!(with_noise("steal", &[("steal_ns", 320_000_000)]).state, State::Noisy);
    let before = with("steal", &[("machine.hypervisor", "yes"), ("load.steal_ticks", "2500")]);
    assert_eq!(
        (before.state, before.found.as_str()),
        (State::Noisy, "0.0 % of CPU time while observed, 2.50 % since boot")
    );
}

#[test]
fn activity_while_observed_is_noise() {
    assert_eq!(with_noise("other-tasks", &[("cpu_pressure_ns", 60_000_000)]).state, State::Noisy);
    assert_eq!(with_noise("memory-pressure", &[("memory_pressure_ns", 11_000_000)]).state, State::Noisy);
    assert_eq!(with_noise("heat", &[("thermal_throttle_events", 3)]).state, State::Noisy);
}

#[test]
fn a_debug_build_is_noise() {
    let evidence = Evidence { is_debug_build: true, ..quiet() };
    assert_eq!(found("build", &evidence).state, State::Noisy);
}

#[test]
fn needs_match_the_presets() {
    // The length of chromium-mach's longest message, on the systems that send it through a queue.
    let expected = if ["freebsd", "linux"].contains(&std::env::consts::OS) { 7_340_032 } else { 0 };
    assert_eq!(Needs::for_presets().queue_message_bytes, expected);
}
