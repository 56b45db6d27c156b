//! Linux: uname(2), procfs and sysfs (proc(5), sysfs(5), cgroups(7)), `cpuid`.
//!
//! A fact is stable if it can change results and is the same after a reboot. A fact that differs between logins, such
//! as the limits of a process, is a condition.

use crate::sys::affinity::{self, CpuPair};
use crate::sys::cgroup;
use crate::sys::fingerprint::cpuid;
use crate::sys::fingerprint::facts::{self, Facts, gib};
use crate::sys::fingerprint::pair::{self, Cache};
use crate::sys::tree::{Tree, field, numbers};
use flate2::read::GzDecoder;
use rustix::process::Resource;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;

pub(crate) fn stable() -> BTreeMap<String, String> {
    stable_of(&Tree::system(), affinity::pair().ok().as_ref())
}

pub(crate) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_condition(&Tree::system(), &mut facts);
    facts.process_limits();
    facts.limit("limit.queue_bytes", Resource::Msgqueue);
    facts.0
}

fn stable_of(tree: &Tree, pair: Option<&CpuPair>) -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_kernel(tree, &mut facts);
    read_machine(tree, &mut facts);
    read_cpu(tree, pair.map_or(0, |pair| pair.first), &mut facts);
    read_of_machine(tree, &mut facts);
    if let Some(pair) = pair {
        pair::read(pair, |cpu| caches(tree, cpu), &mut facts);
    }
    // Released programs use musl, which copies and allocates differently, so their results are not compared with
    // others. The usual library adds no fact, so that known machines keep their identity.
    if cfg!(target_env = "musl") {
        facts.put("os.c_library", Some("musl".into()));
    }
    facts.0
}

impl Facts {
    fn file(&mut self, key: &str, tree: &Tree, path: &str) {
        self.put(key, tree.text(path));
    }
}

/// The value of a line `key : value` in `/proc/cpuinfo`, for the first processor.
fn cpuinfo(tree: &Tree, key: &str) -> Option<String> {
    tree.text("/proc/cpuinfo")?.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

// The hardware: manufacturer, product, hypervisor, memory.

fn read_machine(tree: &Tree, facts: &mut Facts) {
    let product = tree.text("/sys/class/dmi/id/product_name");
    // Machines without DMI, such as small ARM ones, have a name in the device tree, with a NUL at the end.
    let model = || tree.text("/proc/device-tree/model").map(|name| name.trim_end_matches('\0').into());
    facts.put("machine.product", product.or_else(model));
    facts.file("machine.vendor", tree, "/sys/class/dmi/id/sys_vendor");
    let guest = cpuinfo(tree, "flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    // The `hypervisor` flag marks a guest (CPUID leaf 1, ECX bit 31).
    let kind = tree.text("/sys/hypervisor/type").unwrap_or_else(|| if guest { "yes" } else { "none" }.into());
    facts.put("machine.hypervisor", Some(kind));
    facts.put(
        "machine.hypervisor_vendor",
        if guest { cpuid::hypervisor_vendor() } else { Some("none".into()) },
    );
    facts.put("memory.total_gib", meminfo_kib(tree, "MemTotal:").map(gib));
    facts.put("memory.transparent_huge_pages", chosen(tree, "enabled"));
    facts.put("memory.transparent_huge_pages_shared", chosen(tree, "shmem_enabled"));
    facts.put("memory.swap_mib", meminfo_kib(tree, "SwapTotal:").map(|kib| (kib >> 10).to_string()));
    facts.file("memory.numa_nodes", tree, "/sys/devices/system/node/online");
}

fn meminfo_kib(tree: &Tree, name: &str) -> Option<u64> {
    tree.field("/proc/meminfo", name)?.split(' ').next()?.parse().ok()
}

fn chosen(tree: &Tree, name: &str) -> Option<String> {
    let text = tree.text(&format!("/sys/kernel/mm/transparent_hugepage/{name}"))?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

// Facts that vary from minute to minute or with a user's session.

fn read_condition(tree: &Tree, facts: &mut Facts) {
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
    // The file is absent without Yama; then only ptrace(2)'s own rules apply.
    let scope = tree.text("/proc/sys/kernel/yama/ptrace_scope");
    facts.put("os.ptrace_scope", Some(scope.unwrap_or_else(|| "no Yama".into())));
}

/// The column for steal in the `cpu` lines (`proc_stat(5)`); guest times after it are part of user and nice.
const STEAL: usize = 7;

fn ticks(stat: &str) -> Vec<u64> {
    let line = field(stat, "cpu ").unwrap_or_default();
    line.split_whitespace().filter_map(|ticks| ticks.parse().ok()).collect()
}

/// Runnable tasks, except the one that reads this.
fn others_runnable(stat: &str) -> Option<String> {
    let runnable: u64 = field(stat, "procs_running ")?.parse().ok()?;
    Some(runnable.saturating_sub(1).to_string())
}

/// The effective capabilities as a mask. In another user namespace, a process appears to have all of them but may not
/// access resources of the machine (`user_namespaces(7)`).
fn capabilities(tree: &Tree) -> Option<String> {
    let map = tree.text("/proc/self/uid_map")?;
    let is_initial = map.split_whitespace().eq(["0", "0", "4294967295"]);
    if is_initial { tree.field("/proc/self/status", "CapEff:") } else { Some("0".into()) }
}

/// The hottest processor zone.
fn temperature(tree: &Tree) -> Option<String> {
    /// Drivers' names for a processor's zone: Intel, AMD, ACPI, ARM.
    const KINDS: &[&str] = &["x86_pkg_temp", "k10temp", "acpitz", "cpu"];
    let folder = "/sys/class/thermal";
    let zones = tree.names(folder).into_iter().filter_map(|zone| {
        let kind = tree.text(&format!("{folder}/{zone}/type"))?;
        let millidegrees = tree.number(&format!("{folder}/{zone}/temp"))?;
        KINDS.iter().any(|known| kind.starts_with(known)).then_some(millidegrees)
    });
    // AMD's driver provides its sensor only as a hardware monitor.
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

/// `mains` if a supply is plugged in, `battery` if there is only a battery.
fn power(tree: &Tree) -> Option<String> {
    let folder = "/sys/class/power_supply";
    let supplies = tree.names(folder);
    let text = |supply: &str, name: &str| tree.text(&format!("{folder}/{supply}/{name}")).unwrap_or_default();
    let discharging = supplies
        .iter()
        // A mouse has a battery too: its scope is `Device`.
        .filter(|supply| text(supply, "type") == "Battery" && text(supply, "scope") != "Device")
        .any(|supply| text(supply, "status") == "Discharging");
    let plugged = supplies.iter().any(|supply| text(supply, "online") == "1");
    match (discharging, plugged) {
        (true, _) => Some("battery".into()),
        (false, true) => Some("mains".into()),
        (false, false) => None,
    }
}

// The processors: model, topology, frequency, idle states, mitigations.

const FOLDER: &str = "/sys/devices/system/cpu";

/// `cpu` is the one whose frequency and idle states are read.
fn read_cpu(tree: &Tree, cpu: u32, facts: &mut Facts) {
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

/// The enabled idle state with the longest exit latency, and the latency in microseconds from its driver.
fn deepest_idle(tree: &Tree, folder: &str) -> Option<(String, u64)> {
    let states = tree.names(folder).into_iter().filter_map(|state| {
        let enabled = tree.number(&format!("{folder}/{state}/disable")) != Some(1);
        let exit_us = tree.number(&format!("{folder}/{state}/latency"))?;
        enabled.then(|| tree.text(&format!("{folder}/{state}/name")).map(|name| (name, exit_us)))?
    });
    states.max_by_key(|&(_, exit_us)| exit_us)
}

/// `1 package, 4 cores, 8 threads`, for the online processors.
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

/// `name=state; ...`, ordered by name.
fn mitigations(tree: &Tree) -> Option<String> {
    let folder = format!("{FOLDER}/vulnerabilities");
    let states: Vec<String> = tree
        .names(&folder)
        .into_iter()
        .filter_map(|name| tree.text(&format!("{folder}/{name}")).map(|state| format!("{name}={state}")))
        .collect();
    (!states.is_empty()).then(|| states.join("; "))
}

/// The caches of a processor, from sysfs.
fn caches(tree: &Tree, cpu: u32) -> Vec<Cache> {
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
    let indices = tree.names(&folder).into_iter().filter(|name| name.starts_with("index"));
    indices
        .filter_map(|index| {
            let text = |name: &str| tree.text(&format!("{folder}/{index}/{name}"));
            let kind = match text("type")?.as_str() {
                "Data" => "d",
                "Instruction" => "i",
                _ => "",
            };
            Some(Cache {
                name: format!("L{}{kind}", text("level")?),
                kib: text("size")?.trim_end_matches('K').parse().ok()?,
                cpus: numbers(&text("shared_cpu_list")?),
            })
        })
        .collect()
}

// The kernel: its build, its configuration, and its parameters.

fn read_kernel(tree: &Tree, facts: &mut Facts) {
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
    /// Many times the size of a real one, which has some 250 KiB.
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

/// The preemption model: `none`, `voluntary`, `full`, `lazy`, `rt`. A dynamic kernel can start with another model: then
/// `preempt=` is in `os.command_line`.
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

/// The number of filters that every system call of this process passes (seccomp(2)). Containers and services have some,
/// and each slows every call. Kernels before 5.9 do not count them.
fn syscall_filters(tree: &Tree) -> Option<String> {
    let status = |key| tree.field("/proc/self/status", key);
    match status("Seccomp:")?.as_str() {
        "0" => Some("none".into()),
        _ => Some(status("Seccomp_filters:").unwrap_or_else(|| "some".into())),
    }
}

/// Parameters that affect the machine's speed or variation. The others are removed: a command line may name disks,
/// addresses and secrets.
fn parameters(line: &str) -> String {
    /// Prefixes of names (kernel documentation, admin-guide/kernel-parameters).
    // A list of names. prose: allow
    const KEPT: &str = "amd_pstate audit clocksource cpufreq cpuidle default_hugepagesz gather_data_sampling haltpoll \
        hpet hugepages idle intel_idle intel_pstate irqaffinity isolcpus kpti kthread_cpus l1tf \
        max_cstate maxcpus mds mitigations mmio_stale_data nmi_watchdog no_timer_check nohlt nohz \
        nokaslr nopti nosmp nosmt nosoftlockup nospec nowatchdog nr_cpus numa pcie_aspm preempt \
        processor. psi pti rcu retbleed sched skew_tick slab slub spec srbds srso threadirqs \
        transparent_hugepage tsc tsx workqueue";
    let kept: Vec<&str> = line
        .split_whitespace()
        // The rest is for the first process, not for the kernel.
        .take_while(|&word| word != "--")
        .filter(|word| KEPT.split(' ').any(|name| word.starts_with(name)))
        .collect();
    if kept.is_empty() { "none that matters here".into() } else { kept.join(" ") }
}

// Limits: those of the machine and the control groups affect results; those of this process decide what can run.

fn read_of_machine(tree: &Tree, facts: &mut Facts) {
    for (key, path) in [
        ("limit.pipe_max_bytes", "fs/pipe-max-size"),
        ("limit.pipe_user_pages", "fs/pipe-user-pages-soft"),
        ("limit.socket_receive_max_bytes", "net/core/rmem_max"),
        ("limit.socket_send_max_bytes", "net/core/wmem_max"),
        ("limit.socket_receive_default_bytes", "net/core/rmem_default"),
        ("limit.socket_send_default_bytes", "net/core/wmem_default"),
        ("limit.unix_datagrams", "net/unix/max_dgram_qlen"),
        ("limit.queue_messages", "fs/mqueue/msg_max"),
        ("limit.queue_message_bytes", "fs/mqueue/msgsize_max"),
        ("limit.queues", "fs/mqueue/queues_max"),
    ] {
        facts.file(key, tree, &format!("/proc/sys/{path}"));
    }
    facts.put("limit.cgroup_cpu", cgroup::cpu_quota(tree));
    facts.put("limit.cgroup_cpuset", cgroup::cpuset(tree));
    facts.put("limit.cgroup_memory_bytes", cgroup::memory_limit(tree));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    type Read = fn(&Tree, &mut Facts);

    fn read(reader: Read, files: &[(String, &str)]) -> BTreeMap<String, String> {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let (_folder, tree) = tree(&files);
        let mut facts = Facts::default();
        reader(&tree, &mut facts);
        facts.0
    }

    #[test]
    fn empty_kernel_marks_every_fact_unavailable() {
        let (_folder, tree) = tree(&[]);
        let facts = stable_of(&tree, None);
        assert_eq!(facts["cpu.governor"], "not available: this kernel does not show it");
        assert!(facts.values().all(|value| !value.is_empty()), "{facts:?}");
    }

    #[test]
    fn reads_facts_from_files() {
        const THERMAL: &str = "/sys/class/thermal/thermal_zone";
        const SUPPLY: &str = "/sys/class/power_supply";
        const INITIAL: &str = "/proc/self/uid_map:         0          0 4294967295\n";
        const CAPABLE: &str = "/proc/self/status:Name:\tx\nCapEff:\t000001ffffffffff\n";
        const BATTERY: &str = "/BAT0/type:Battery\n";
        let (machine, condition): (Read, Read) = (read_machine, read_condition);
        let cpu: Read = |tree, facts| read_cpu(tree, 2, facts);
        /// A reader, a folder and its files, `path:text`, and the expected facts.
        type Case<'a> = (Read, &'a str, &'a [&'a str], &'a [(&'a str, &'a str)]);
        let cases: &[Case<'_>] = &[
            // Memory is rounded; the word in brackets is the selected one.
            (
                machine,
                "",
                &[
                    "/proc/meminfo:MemTotal:       24689012 kB\nSwapTotal:       2097148 kB\n",
                    "/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] never\n",
                ],
                &[
                    ("memory.total_gib", "24"),
                    ("memory.swap_mib", "2047"),
                    ("memory.transparent_huge_pages", "madvise"),
                    ("machine.hypervisor", "none"),
                ],
            ),
            // The flag identifies a guest.
            (
                machine,
                "",
                &["/proc/cpuinfo:processor\t: 0\nflags\t\t: fpu hypervisor sse\n"],
                &[("machine.hypervisor", "yes")],
            ),
            (
                condition,
                "/proc",
                &["/stat:cpu  10 1 5 80 2 1 1 4 7 0\ncpu0 1 1\nprocs_running 3\n"],
                &[("load.steal_ticks", "4"), ("load.all_ticks", "104"), ("load.runnable_tasks", "2")],
            ),
            // A discharging battery is the power supply; a mouse's battery is not.
            (condition, SUPPLY, &[BATTERY, "/BAT0/status:Discharging\n"], &[("machine.power", "battery")]),
            (
                condition,
                SUPPLY,
                &[BATTERY, "/BAT0/status:Discharging\n", "/BAT0/scope:Device\n"],
                &[("machine.power", "not available: this kernel does not show it")],
            ),
            (condition, SUPPLY, &["/AC/type:Mains\n", "/AC/online:1\n"], &[("machine.power", "mains")]),
            // The hottest of a processor's sensors counts.
            (
                condition,
                THERMAL,
                &["0/type:iwlwifi_1\n", "0/temp:90000\n", "1/type:x86_pkg_temp\n", "1/temp:61500\n"],
                &[("cpu.temperature_celsius", "61")],
            ),
            // Capabilities inside a user namespace do not count.
            (condition, "", &[CAPABLE, INITIAL], &[("os.capabilities", "000001ffffffffff")]),
            (condition, "", &[CAPABLE, "/proc/self/uid_map:0 1000 1\n"], &[("os.capabilities", "0")]),
            // Used swap is the total minus the free part.
            (
                condition,
                "/proc",
                &["/meminfo:SwapTotal:  2000 kB\nSwapFree:   1500 kB\n"],
                &[("memory.swap_used_kib", "500")],
            ),
            // Cores with the same number are in different packages.
            (
                cpu,
                FOLDER,
                &[
                    "/cpufreq/boost:1\n",
                    "/cpu0/topology/physical_package_id:0\n",
                    "/cpu0/topology/core_id:0\n",
                    "/cpu1/topology/physical_package_id:0\n",
                    "/cpu1/topology/core_id:0\n",
                    "/cpu2/topology/physical_package_id:0\n",
                    "/cpu2/topology/core_id:1\n",
                    "/cpu3/topology/physical_package_id:1\n",
                    "/cpu3/topology/core_id:0\n",
                ],
                &[("cpu.topology", "2 packages, 3 cores, 4 threads")],
            ),
            // The deepest idle state is the slowest enabled one.
            (
                cpu,
                "/sys/devices/system/cpu/cpu2/cpuidle/state",
                &[
                    "0/name:POLL",
                    "0/latency:0",
                    "0/disable:0",
                    "2/name:C6",
                    "2/latency:133",
                    "2/disable:0",
                    "1/name:C1",
                    "1/latency:2",
                    "1/disable:0",
                    "3/name:C10",
                    "3/latency:890",
                    "3/disable:1",
                ],
                &[("cpu.idle_deepest", "C6"), ("cpu.idle_exit_us", "133")],
            ),
            // Limits are in megahertz; an empty list means no isolation.
            (
                cpu,
                FOLDER,
                &[
                    "/cpu2/cpufreq/scaling_min_freq:800000\n",
                    "/cpu2/cpufreq/scaling_max_freq:3600000\n",
                    "/isolated:\n",
                    "/vulnerabilities/meltdown:Not affected\n",
                ],
                &[
                    ("cpu.frequency_limits_mhz", "800 to 3600"),
                    ("cpu.isolated", "none"),
                    ("cpu.mitigations", "meltdown=Not affected"),
                ],
            ),
        ];
        for &(reader, folder, files, expected) in cases {
            let files = files.iter().map(|file| file.split_once(':').unwrap());
            let files: Vec<_> = files.map(|(path, text)| (format!("{folder}{path}"), text)).collect();
            let facts = read(reader, &files);
            for (key, value) in expected {
                assert_eq!(facts[*key], *value, "{key} of {files:?}");
            }
        }
    }

    #[test]
    fn reads_caches_of_both_processors() {
        let mut files = Vec::new();
        for (cpu, own, l1d) in [("0", "0", "48K"), ("8", "8", "32K")] {
            let caches = [
                ("Data", "1", l1d, own),
                ("Instruction", "1", "64K", own),
                ("Unified", "2", "2048K", own),
                ("Unified", "3", "32768K", "0-3,8"),
            ];
            for (index, (kind, level, size, shared)) in caches.into_iter().enumerate() {
                let folder = format!("{FOLDER}/cpu{cpu}/cache/index{index}");
                let texts = [("type", kind), ("level", level), ("size", size), ("shared_cpu_list", shared)];
                files.extend(texts.map(|(name, text)| (format!("{folder}/{name}"), text)));
            }
        }
        let facts = read(
            |tree, facts| {
                let pair = CpuPair { first: 8, second: 0, relation: "different cores" };
                pair::read(&pair, |cpu| caches(tree, cpu), facts);
            },
            &files,
        );
        assert_eq!(facts["cpu.cache_l1d_kib"], "32 and 48");
        assert_eq!(facts["cpu.cache_l2_kib"], "2048");
        assert_eq!(facts["placement.shared_caches"], "L3");
    }

    #[test]
    fn prefers_the_kernels_own_configuration() {
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
    fn reads_the_preemption_model() {
        let dynamic = "CONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_DYNAMIC=y\n";
        assert_eq!(preemption(dynamic), "none, dynamic");
        assert_eq!(preemption("CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPTION=y\n"), "voluntary");
        assert_eq!(preemption("CONFIG_HZ=100\n"), "unknown");
    }

    #[test]
    fn counts_system_call_filters() {
        let found = |status: &str| syscall_filters(&tree(&[("/proc/self/status", status)]).1);
        assert_eq!(found("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n").as_deref(), Some("none"));
        assert_eq!(found("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t3\n").as_deref(), Some("3"));
        assert_eq!(found("Name:\tx\nSeccomp:\t2\n").as_deref(), Some("some"));
        assert_eq!(found("Name:\tx\n"), None);
    }

    #[test]
    fn keeps_only_relevant_kernel_parameters() {
        let line = "root=UUID=1-2 quiet mitigations=auto,nosmt isolcpus=2,3 token=secret -- sched=not-mine";
        assert_eq!(parameters(line), "mitigations=auto,nosmt isolcpus=2,3");
        assert_eq!(parameters("quiet"), "none that matters here");
    }
}
