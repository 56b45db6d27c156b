//! Linux: uname(2), procfs and sysfs (proc(5), sysfs(5), cgroups(7)).

use std::collections::BTreeMap;
use std::fs;

pub(super) fn stable() -> BTreeMap<String, String> {
    let uname = rustix::system::uname();
    let mut facts = Facts::default();
    facts.put("os.kernel", Some(uname.release().to_string_lossy().into_owned()));
    facts.put("os.build", Some(uname.version().to_string_lossy().into_owned()));
    facts
        .put("os.distribution", field("/etc/os-release", "PRETTY_NAME=").map(|v| v.trim_matches('"').into()));
    facts.put("cpu.model", cpuinfo("model name").or_else(|| cpuinfo("CPU part")));
    facts.put("cpu.microcode", cpuinfo("microcode"));
    facts.put("cpu.online", file("/sys/devices/system/cpu/online"));
    facts.put("cpu.smt", file("/sys/devices/system/cpu/smt/control"));
    facts.put("cpu.governor", file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    facts.put("cpu.frequency_driver", file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"));
    facts.put("cpu.boost", file("/sys/devices/system/cpu/cpufreq/boost"));
    facts.put("cpu.no_turbo", file("/sys/devices/system/cpu/intel_pstate/no_turbo"));
    facts.put(
        "cpu.isolated",
        file("/sys/devices/system/cpu/isolated").map(|v| if v.is_empty() { "none".into() } else { v }),
    );
    facts.put("cpu.mitigations", mitigations());
    facts.put("machine.product", file("/sys/class/dmi/id/product_name"));
    facts.put("machine.hypervisor", Some(hypervisor()));
    facts.put("memory.total_gib", memory_total_gib());
    facts.put("clock.source", file("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    facts.put("limit.pipe_max_bytes", file("/proc/sys/fs/pipe-max-size"));
    facts.put("limit.socket_receive_max_bytes", file("/proc/sys/net/core/rmem_max"));
    facts.put("limit.socket_send_max_bytes", file("/proc/sys/net/core/wmem_max"));
    facts.put("limit.cgroup_cpu", file("/sys/fs/cgroup/cpu.max"));
    if let Ok(pair) = crate::sys::affinity::pair() {
        facts.put("placement.same_cpu", Some(pair.first.to_string()));
        facts.put(
            "placement.cross_cpu",
            Some(format!("{} and {}: {}", pair.first, pair.second, pair.relation)),
        );
    }
    facts.0
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    facts.put("load.average", file("/proc/loadavg"));
    facts.put(
        "load.cpu_pressure",
        file("/proc/pressure/cpu").and_then(|v| v.lines().next().map(str::to_owned)),
    );
    facts.put("load.steal_ticks", steal_ticks());
    facts.put("cpu.frequency_mhz", cpuinfo("cpu MHz"));
    facts.put("memory.available_kib", field("/proc/meminfo", "MemAvailable:").map(|v| v.replace(" kB", "")));
    facts.put(
        "machine.uptime_seconds",
        file("/proc/uptime").and_then(|v| v.split(' ').next().map(str::to_owned)),
    );
    facts.0
}

#[derive(Default)]
struct Facts(BTreeMap<String, String>);

impl Facts {
    /// Absence is itself a fact: a virtual machine has no frequency driver to read.
    fn put(&mut self, key: &str, value: Option<String>) {
        self.0.insert(
            key.to_owned(),
            value.unwrap_or_else(|| "not available: this kernel does not show it".into()),
        );
    }
}

fn file(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The rest of the first line that begins with `prefix`.
fn field(path: &str, prefix: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(prefix)).map(|rest| rest.trim().to_owned())
}

fn cpuinfo(key: &str) -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

/// `name=state; ...`, in the order of names.
fn mitigations() -> Option<String> {
    let folder = fs::read_dir("/sys/devices/system/cpu/vulnerabilities").ok()?;
    let mut states: Vec<String> = folder
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let state = fs::read_to_string(entry.path()).ok()?;
            Some(format!("{}={}", entry.file_name().to_string_lossy(), state.trim()))
        })
        .collect();
    states.sort_unstable();
    Some(states.join("; "))
}

/// The `hypervisor` processor flag is how a guest is told that it is one (CPUID leaf 1, ECX bit 31).
fn hypervisor() -> String {
    let flagged = cpuinfo("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    file("/sys/hypervisor/type").unwrap_or_else(|| if flagged { "yes".into() } else { "none".into() })
}

/// Rounded, because a kernel takes a little more or less for itself from boot to boot.
fn memory_total_gib() -> Option<String> {
    let kib: u64 = field("/proc/meminfo", "MemTotal:")?.split(' ').next()?.parse().ok()?;
    Some(((kib + (1 << 19)) >> 20).to_string())
}

/// The eighth number of the `cpu` line (proc(5)).
fn steal_ticks() -> Option<String> {
    field("/proc/stat", "cpu ")?.split_whitespace().nth(7).map(str::to_owned)
}
