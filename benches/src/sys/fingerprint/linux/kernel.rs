//! The kernel: its build, its configuration, and what it was started with.

use super::Facts;
use crate::sys::tree::{Tree, field};
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;

pub(super) fn read(tree: &Tree, facts: &mut Facts) {
    let uname = rustix::system::uname();
    let release = uname.release().to_string_lossy().into_owned();
    let config = configuration(tree, &release);
    facts.put("os.kernel", Some(release));
    facts.put("os.build", Some(uname.version().to_string_lossy().into_owned()));
    let distribution = tree.field("/etc/os-release", "PRETTY_NAME=");
    facts.put("os.distribution", distribution.map(|name| name.trim_matches('"').into()));
    facts.put("os.preemption", config.as_deref().map(preemption));
    facts.put("os.timer_hz", config.as_deref().and_then(|text| field(text, "CONFIG_HZ=")));
    facts.put("os.command_line", tree.text("/proc/cmdline").map(|line| parameters(&line)));
    facts.file("os.aslr", tree, "/proc/sys/kernel/randomize_va_space");
    facts.put("os.syscall_filters", syscall_filters(tree));
    facts.file("os.nmi_watchdog", tree, "/proc/sys/kernel/nmi_watchdog");
    facts.file("clock.source", tree, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

/// The configuration that the kernel was built with: its own copy, else the distribution's.
fn configuration(tree: &Tree, release: &str) -> Option<String> {
    /// Many times a real one, which has some 250 KiB.
    const BYTES_MAX: u64 = 16 << 20;
    let own = || {
        let file = File::open(tree.path("/proc/config.gz")).ok()?;
        let mut text = String::new();
        GzDecoder::new(file).take(BYTES_MAX).read_to_string(&mut text).ok()?;
        Some(text)
    };
    own()
        .or_else(|| tree.text(&format!("/boot/config-{release}")))
        .or_else(|| tree.text(&format!("/lib/modules/{release}/config")))
}

/// When the kernel lets another task go first: `none`, `voluntary`, `full`, `lazy`, `rt`. A dynamic kernel can be
/// given another model when it starts: then `preempt=` stands in `os.command_line`.
fn preemption(config: &str) -> String {
    let models = [
        ("CONFIG_PREEMPT_RT=y", "rt"),
        ("CONFIG_PREEMPT_LAZY=y", "lazy"),
        ("CONFIG_PREEMPT=y", "full"),
        ("CONFIG_PREEMPT_VOLUNTARY=y", "voluntary"),
        ("CONFIG_PREEMPT_NONE=y", "none"),
    ];
    let has = |line: &str| config.lines().any(|known| known == line);
    let model = models.iter().find(|(line, _)| has(line)).map_or("unknown", |&(_, name)| name);
    if has("CONFIG_PREEMPT_DYNAMIC=y") { format!("{model}, dynamic") } else { model.into() }
}

/// How many filters every system call of this process passes (seccomp(2)): a container or a service is given some, and
/// each adds to each call. Kernels before 5.9 do not count them.
fn syscall_filters(tree: &Tree) -> Option<String> {
    let status = |key| tree.field("/proc/self/status", key);
    match status("Seccomp:")?.as_str() {
        "0" => Some("none".into()),
        _ => Some(status("Seccomp_filters:").unwrap_or_else(|| "some".into())),
    }
}

/// Parameters that change how fast or how evenly the machine runs. The others are not kept: a command line may name
/// disks, addresses and secrets.
fn parameters(line: &str) -> String {
    /// Beginnings of names (kernel documentation, admin-guide/kernel-parameters).
    const KEPT: &[&str] = &[
        "amd_pstate",
        "audit",
        "clocksource",
        "cpufreq",
        "cpuidle",
        "default_hugepagesz",
        "gather_data_sampling",
        "haltpoll",
        "hpet",
        "hugepages",
        "idle",
        "intel_idle",
        "intel_pstate",
        "irqaffinity",
        "isolcpus",
        "kpti",
        "kthread_cpus",
        "l1tf",
        "max_cstate",
        "maxcpus",
        "mds",
        "mitigations",
        "mmio_stale_data",
        "nmi_watchdog",
        "no_timer_check",
        "nohlt",
        "nohz",
        "nokaslr",
        "nopti",
        "nosmp",
        "nosmt",
        "nosoftlockup",
        "nospec",
        "nowatchdog",
        "nr_cpus",
        "numa",
        "pcie_aspm",
        "preempt",
        "processor.",
        "psi",
        "pti",
        "rcu",
        "retbleed",
        "sched",
        "skew_tick",
        "slab",
        "slub",
        "spec",
        "srbds",
        "srso",
        "threadirqs",
        "transparent_hugepage",
        "tsc",
        "tsx",
        "workqueue",
    ];
    let kept: Vec<&str> = line
        .split_whitespace()
        // What follows is for the first process, not for the kernel.
        .take_while(|&word| word != "--")
        .filter(|word| KEPT.iter().any(|name| word.starts_with(name)))
        .collect();
    if kept.is_empty() { "none that matters here".into() } else { kept.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn the_kernels_own_configuration_is_inflated_and_goes_first() {
        let (_folder, tree) = tree(&[("/boot/config-6.1", "CONFIG_HZ=1000\n"), ("/proc/cmdline", "")]);
        assert_eq!(configuration(&tree, "6.1").as_deref(), Some("CONFIG_HZ=1000"));
        let file = File::create(tree.path("/proc/config.gz")).unwrap();
        let mut gzip = GzEncoder::new(file, Compression::fast());
        gzip.write_all(b"CONFIG_HZ=250\n").unwrap();
        gzip.finish().unwrap();
        assert_eq!(configuration(&tree, "6.1").as_deref(), Some("CONFIG_HZ=250\n"));
        assert_eq!(configuration(&tree, "6.2").as_deref(), Some("CONFIG_HZ=250\n"));
    }

    #[test]
    fn the_preemption_model_is_the_one_that_is_set() {
        let dynamic = "CONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_DYNAMIC=y\n";
        assert_eq!(preemption(dynamic), "none, dynamic");
        assert_eq!(preemption("CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPTION=y\n"), "voluntary");
        assert_eq!(preemption("CONFIG_HZ=100\n"), "unknown");
    }

    #[test]
    fn filters_of_system_calls_are_counted_where_the_kernel_counts_them() {
        let found = |status: &str| syscall_filters(&tree(&[("/proc/self/status", status)]).1);
        assert_eq!(found("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n").as_deref(), Some("none"));
        assert_eq!(found("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t3\n").as_deref(), Some("3"));
        assert_eq!(found("Name:\tx\nSeccomp:\t2\n").as_deref(), Some("some"));
        assert_eq!(found("Name:\tx\n"), None);
    }

    #[test]
    fn of_the_command_line_only_what_changes_figures_is_kept() {
        let line = "root=UUID=1-2 quiet mitigations=auto,nosmt isolcpus=2,3 token=secret -- sched=not-mine";
        assert_eq!(parameters(line), "mitigations=auto,nosmt isolcpus=2,3");
        assert_eq!(parameters("quiet"), "none that matters here");
    }
}
