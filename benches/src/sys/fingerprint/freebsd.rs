//! FreeBSD: uname(3) and sysctl(3). The keys are those of Linux if the meaning is the same.
//!
//! A fact is stable if it can change results and is the same after a reboot.

use super::facts::{Facts, counted, gib};
use super::levels;
use crate::sys::affinity::groups::Topology;
use crate::sys::affinity::{self, CpuPair};
use crate::sys::sysctl::{load_average, number, text};
use crate::sys::tree::Tree;
use crate::sys::{clock, liveness};
use std::collections::BTreeMap;

pub(crate) fn stable() -> BTreeMap<String, String> {
    let (mut facts, tree) = (Facts::default(), Tree::system());
    let pair = affinity::pair().ok();
    kernel(&tree, &mut facts);
    machine(&mut facts);
    cpu(&tree, pair.as_ref().map_or(0, |pair| pair.first), &mut facts);
    machine_limits(&mut facts);
    if let Some(pair) = pair {
        placement(&pair, &mut facts);
    }
    facts.0
}

pub(crate) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    let cpu = affinity::pair().map_or(0, |pair| pair.first);
    facts.put("load.average", load_average());
    facts.put("cpu.frequency_mhz", decimal(&format!("dev.cpu.{cpu}.freq")));
    // In tenths of a kelvin (coretemp(4), amdtemp(4)).
    let temperature = number(&format!("dev.cpu.{cpu}.temperature"));
    facts.put(
        "cpu.temperature_celsius",
        temperature.map(|tenths| (tenths.saturating_sub(2_731) / 10).to_string()),
    );
    let free = number("vm.stats.vm.v_free_count").zip(number("vm.stats.vm.v_inactive_count"));
    let available_kib = free
        .zip(number("hw.pagesize"))
        .map(|((free, inactive), page_bytes)| (((free + inactive) * page_bytes) >> 10).to_string());
    facts.put("memory.available_kib", available_kib);
    let power = number("hw.acpi.acline").map(|mains| if mains == 1 { "mains" } else { "battery" });
    facts.put("machine.power", power.map(str::to_owned));
    // This clock starts with the system.
    facts.put("machine.uptime_seconds", Some((clock::now_ns() / 1_000_000_000).to_string()));
    facts.put("os.unprivileged_debug", decimal("security.bsd.unprivileged_proc_debug"));
    facts.process_limits();
    facts.0
}

fn kernel(tree: &Tree, facts: &mut Facts) {
    let uname = rustix::system::uname();
    facts.put("os.kernel", Some(uname.release().to_string_lossy().into_owned()));
    facts.put("os.build", text("kern.version"));
    facts.put("os.configuration", text("kern.ident"));
    let distribution = tree.field("/etc/os-release", "PRETTY_NAME=");
    facts.put("os.distribution", distribution.map(|name| name.trim_matches('"').into()));
    facts.put("os.scheduler", text("kern.sched.name"));
    facts.put("os.timer_hz", decimal("kern.hz"));
    facts.put("os.aslr", decimal("kern.elf64.aslr.enable"));
    facts.put("os.jail", number("security.jail.jailed").map(|jailed| yes_or_none(jailed == 1)));
    facts.put("clock.source", text("kern.timecounter.hardware"));
    facts.put("clock.allowed_deviation_percent", decimal("kern.timecounter.alloweddeviation"));
}

fn machine(facts: &mut Facts) {
    facts.put("machine.hypervisor", text("kern.vm_guest"));
    facts.put("machine.hypervisor_vendor", text("hw.hv_vendor").filter(|vendor| !vendor.is_empty()));
    facts.put("memory.total_gib", number("hw.physmem").map(|bytes| gib(bytes >> 10)));
    facts.number("memory.swap_mib", number("vm.swap_total").map(|bytes| bytes >> 20));
    let nodes = number("vm.ndomains").filter(|&nodes| nodes > 0);
    facts.put(
        "memory.numa_nodes",
        nodes.map(|nodes| if nodes == 1 { "0".into() } else { format!("0-{}", nodes - 1) }),
    );
    let superpages = decimal("vm.pmap.pg_ps_enabled").or_else(|| decimal("vm.pmap.superpages_enabled"));
    facts.put("memory.superpages", superpages);
}

/// `cpu` is the one whose frequency and idle states are read.
fn cpu(tree: &Tree, cpu: u32, facts: &mut Facts) {
    let of_one = |name: &str| format!("dev.cpu.{cpu}.{name}");
    facts.put("cpu.model", text("hw.model"));
    facts.put("cpu.allowed", affinity::allowed().ok().map(|cpus| cpus.len().to_string()));
    let count = |name: &str| number(name).and_then(|count| usize::try_from(count).ok());
    let counts = count("kern.smp.cores").zip(count("hw.ncpu"));
    let topology = |(cores, threads)| [counted(cores, "core"), counted(threads, "thread")].join(", ");
    facts.put("cpu.topology", counts.map(topology));
    facts.put("cpu.smt", number("kern.smp.threads_per_core").map(|threads| on_or_off(threads > 1)));
    facts.put("cpu.smt_allowed", decimal("machdep.hyperthreading_allowed"));
    facts.put("cpu.mitigations", mitigations());

    facts.put("cpu.powerd", powerd_runs(tree).map(yes_or_none));
    facts.put("cpu.frequency_driver", text("dev.cpufreq.0.freq_driver"));
    facts.put("cpu.frequency_preference", decimal("dev.hwpstate_intel.0.epp"));
    let limits = text(&of_one("freq_levels")).and_then(|levels| levels::frequency_limits_mhz(&levels));
    facts.put("cpu.frequency_limits_mhz", limits);

    facts.put("cpu.idle_driver", text("machdep.idle"));
    let states = text(&of_one("cx_supported")).zip(text(&of_one("cx_lowest")));
    let deepest = states.and_then(|(supported, lowest)| levels::deepest_idle(&supported, &lowest));
    facts.put("cpu.idle_deepest", deepest.as_ref().map(|(name, _)| name.clone()));
    facts.put("cpu.idle_exit_us", deepest.map(|(_, exit_us)| exit_us.to_string()));
}

/// Unknown except to root if there is a pid file, which only root may read (pidfile(3)).
fn powerd_runs(tree: &Tree) -> Option<bool> {
    const PIDFILE: &str = "/var/run/powerd.pid";
    let pid = tree.number(PIDFILE).and_then(|pid| u32::try_from(pid).ok());
    if pid.is_none() && tree.path(PIDFILE).exists() { None } else { Some(pid.is_some_and(liveness::runs)) }
}

/// `name=state; ...`, for those that this kernel knows.
fn mitigations() -> Option<String> {
    const NUMBERS: &[&str] = &["vm.pmap.pti", "hw.ibrs_active", "hw.spec_store_bypass_disable_active"];
    const TEXTS: &[&str] = &["hw.mds_disable_state", "machdep.mitigations.zenbleed.state"];
    let numbers = NUMBERS.iter().filter_map(|name| Some((name, decimal(name)?)));
    let texts = TEXTS.iter().filter_map(|name| Some((name, text(name)?)));
    let states: Vec<String> = numbers.chain(texts).map(|(name, state)| format!("{name}={state}")).collect();
    (!states.is_empty()).then(|| states.join("; "))
}

fn machine_limits(facts: &mut Facts) {
    for (key, name) in [
        ("limit.pipe_memory_bytes", "kern.ipc.maxpipekva"),
        ("limit.pipe_direct_min_bytes", "kern.ipc.pipe_mindirect"),
        ("limit.pipe_resize_allowed", "kern.ipc.piperesizeallowed"),
        ("limit.socket_receive_max_bytes", "kern.ipc.maxsockbuf"),
        ("limit.socket_send_max_bytes", "kern.ipc.maxsockbuf"),
        ("limit.socket_receive_default_bytes", "net.local.stream.recvspace"),
        ("limit.socket_send_default_bytes", "net.local.stream.sendspace"),
        ("limit.queue_messages", "kern.mqueue.maxmsg"),
        ("limit.queue_message_bytes", "kern.mqueue.maxmsgsize"),
        ("limit.queues", "kern.mqueue.maxmq"),
    ] {
        facts.put(key, decimal(name));
    }
}

fn placement(pair: &CpuPair, facts: &mut Facts) {
    facts.put("placement.same_cpu", Some(pair.first.to_string()));
    facts.put("placement.cross_cpu", Some(format!("{} and {}: {}", pair.first, pair.second, pair.relation)));
    let topology = Topology::for_this_machine();
    let shared = topology.map(|topology| topology.shared_caches(pair.first, pair.second));
    facts.put("placement.shared_caches", shared);
}

fn decimal(name: &str) -> Option<String> {
    number(name).map(|number| number.to_string())
}

fn on_or_off(on: bool) -> String {
    if on { "on" } else { "off" }.into()
}

fn yes_or_none(yes: bool) -> String {
    if yes { "yes" } else { "none" }.into()
}
