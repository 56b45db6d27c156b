//! Rules about the setup of the system and the build of this program.

use super::{Evidence, Rule, State, Verdict};
use crate::sys::tree::numbers;
use crate::sys::{message_queue, noise};

fn fine(found: impl Into<String>) -> Option<Verdict> {
    Some((State::Fine, found.into(), None))
}

fn noisy(found: impl Into<String>, remedy: impl Into<String>) -> Option<Verdict> {
    Some((State::Noisy, found.into(), Some(remedy.into())))
}

fn limiting(found: impl Into<String>, remedy: impl Into<String>) -> Option<Verdict> {
    Some((State::Limiting, found.into(), Some(remedy.into())))
}

fn unknown(found: impl Into<String>) -> Option<Verdict> {
    Some((State::Unknown, found.into(), None))
}

/// A list of rules: the function, the slug, and why it matters.
macro_rules! rules {
    ($($judge:ident $slug:literal $why:literal;)+) => { &[$(Rule { slug: $slug, why: $why, judge: $judge }),+] };
}

/// Clock sources that a program reads without a system call or a device: on Linux (vDSO), then on FreeBSD (sys/vdso.h).
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

pub(super) const KERNEL: &[Rule] = rules! {
    build "build" "Without optimisation, the suite's own code takes longer than the operations it times.";
    clock_source "clock-source" "A slow clock source makes each reading a system call or a device access.";
    swap "swap" "Reading swapped-out memory back from disk interrupts the measurement.";
    huge_pages "huge-pages"
        "With huge pages always enabled, the kernel moves a program's memory in the background.";
    nmi_watchdog "nmi-watchdog" "The watchdog interrupts every CPU and occupies a performance counter.";
    aslr "aslr"
        "Addresses differ between process starts. Each repetition is a new start, so this averages out.";
    mitigations "mitigations"
        "They slow every system call. Results are comparable only with the same mitigations.";
};

fn build(evidence: &Evidence) -> Option<Verdict> {
    if evidence.is_debug_build {
        return noisy("a debug build", "cargo build --release");
    }
    fine("release")
}

fn clock_source(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("clock.source")? {
        source if FAST_CLOCKS.contains(&source) => fine(source),
        source => noisy(
            source,
            evidence.remedy(
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
                "Choose a clock source that the CPU provides.",
            ),
        ),
    }
}

fn swap(evidence: &Evidence) -> Option<Verdict> {
    match (evidence.number("memory.swap_mib"), evidence.number("memory.swap_used_kib")) {
        (Some(0), _) => fine("none"),
        (_, None) => None,
        (_, Some(0)) => fine("not in use"),
        (_, Some(kib)) => noisy(
            format!("{} MiB in use", kib.div_ceil(1_024)),
            evidence.remedy(
                &[("linux", "sudo swapoff --all"), ("freebsd", "sudo swapoff -a")],
                "Close programs that use much memory, or restart the machine.",
            ),
        ),
    }
}

fn huge_pages(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("memory.transparent_huge_pages")? {
        "always" => noisy("always", "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"),
        other => fine(other),
    }
}

fn nmi_watchdog(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("os.nmi_watchdog")? {
        "0" => fine("off"),
        _ => noisy("on", "sudo sysctl kernel.nmi_watchdog=0"),
    }
}

/// Fine either way; reported because it explains differences between starts.
fn aslr(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("os.aslr")? {
        "0" => fine("off"),
        _ => fine("on"),
    }
}

/// Fine either way; reported because it differs between machines.
fn mitigations(evidence: &Evidence) -> Option<Verdict> {
    let all = evidence.fact("cpu.mitigations")?;
    let count = |state: &str| all.split("; ").filter(|entry| entry.contains(&format!("={state}"))).count();
    let (active, open) = (count("Mitigation"), count("Vulnerable"));
    fine(format!("{active} active, {open} not mitigated"))
}

// Rules about processor speed and its variation.

/// A longer exit latency of an idle state is visible in a round trip, which takes some microseconds.
const IDLE_EXIT_US_MAX: u64 = 10;

/// With fewer, the rest of the system has no processor besides the two used for measuring.
const PROCESSORS_MIN: u64 = 4;

pub(super) const PROCESSOR: &[Rule] = rules! {
    governor "governor" "Governors other than performance change the frequency during measurement.";
    turbo "turbo" "Turbo depends on temperature and other cores, so it differs between runs.";
    smt "smt" "A busy sibling thread takes about half of a core's throughput.";
    idle_states "idle-states"
        "While a thread waits for a message, its CPU can sleep; waking it adds to the latency.";
    processors "processors"
        "With few CPUs, cross-cpu cases and the harness share them with all other programs.";
    isolation "isolation" "The scheduler runs no other tasks on an isolated CPU.";
    heat "heat" "An overheated CPU slows down for seconds at a time.";
    power "power" "On battery, firmware and system limit the CPU's speed.";
};

/// For facts that this system or a guest cannot see.
fn not_shown(evidence: &Evidence, what: &str) -> Option<Verdict> {
    let who = if evidence.is_guest() { "; the host controls it" } else { " on this system" };
    unknown(format!("{what}: not visible{who}"))
}

fn governor(evidence: &Evidence) -> Option<Verdict> {
    match (evidence.fact("cpu.governor"), evidence.fact("machine.power_scheme")) {
        (Some("performance"), _) => fine("performance"),
        (Some(other), _) => noisy(other, "sudo cpupower frequency-set -g performance"),
        (None, Some("high performance")) => fine("the power scheme is high performance"),
        (None, Some(other)) => {
            noisy(format!("the power scheme is {other}"), "powercfg /setactive SCHEME_MIN")
        }
        (None, None) => match evidence.fact("cpu.powerd") {
            Some("yes") => noisy("powerd changes the frequency", "sudo service powerd stop"),
            Some(_) => fine("the frequency is fixed: powerd is not running"),
            None => not_shown(evidence, "the frequency governor"),
        },
    }
}

fn turbo(evidence: &Evidence) -> Option<Verdict> {
    match (evidence.fact("cpu.no_turbo"), evidence.fact("cpu.boost")) {
        (Some("1"), _) | (None, Some("0")) => fine("off"),
        (Some(_), _) => noisy("on", "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"),
        (None, Some(_)) => noisy("on", "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"),
        (None, None) => not_shown(evidence, "turbo"),
    }
}

fn smt(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("cpu.smt") {
        None => not_shown(evidence, "SMT"),
        Some("on") => noisy(
            "on: two threads per core",
            evidence.remedy(
                &[("linux", "echo off | sudo tee /sys/devices/system/cpu/smt/control")],
                "Disable it in the firmware settings.",
            ),
        ),
        Some(_) if evidence.is_guest() => fine("off, as seen by the guest"),
        Some(_) => fine("off"),
    }
}

fn idle_states(evidence: &Evidence) -> Option<Verdict> {
    let Some((name, exit_us)) = evidence.fact("cpu.idle_deepest").zip(evidence.number("cpu.idle_exit_us"))
    else {
        return not_shown(evidence, "idle states");
    };
    let found = format!("the deepest is {name}, exit latency {exit_us} us");
    if exit_us > IDLE_EXIT_US_MAX {
        let on_linux = format!("sudo cpupower idle-set -D {IDLE_EXIT_US_MAX}");
        let commands = [("linux", on_linux.as_str()), ("freebsd", "sudo sysctl hw.acpi.cpu.cx_lowest=C1")];
        return noisy(found, evidence.remedy(&commands, "Disable it in the firmware settings."));
    }
    fine(found)
}

fn processors(evidence: &Evidence) -> Option<Verdict> {
    let Some(count) = evidence.number("cpu.allowed") else {
        return unknown("the system does not report which CPUs may be used");
    };
    let found = format!("{count} available");
    if count < PROCESSORS_MIN {
        let remedy = format!("Use a machine with {PROCESSORS_MIN} or more CPUs.");
        return noisy(found, remedy);
    }
    fine(found)
}

fn isolation(evidence: &Evidence) -> Option<Verdict> {
    let Some(isolated) = evidence.fact("cpu.isolated") else {
        return unknown("the system does not report which CPUs are isolated");
    };
    // `3 and 1: different cores`
    let used = evidence.fact("placement.cross_cpu").and_then(|text| text.split(':').next()).unwrap_or("");
    let used: Vec<u32> = used.split(" and ").filter_map(|cpu| cpu.parse().ok()).collect();
    let list = used.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let isolated_cpus = numbers(isolated);
    if isolated_cpus.is_empty() {
        return match evidence.number("cpu.allowed") {
            Some(count) if count >= PROCESSORS_MIN && !used.is_empty() => noisy(
                "none",
                format!(
                    "Start the kernel with: isolcpus={list} nohz_full={list} rcu_nocbs={list}\n\
                     taskset -c {list} roundtrip run"
                ),
            ),
            _ => fine("none; too few CPUs to isolate any"),
        };
    }
    if used.is_empty() || used.iter().any(|cpu| !isolated_cpus.contains(cpu)) {
        // The scheduler uses an isolated processor only on request.
        let found = format!("CPUs {isolated} are isolated, but measurements use others");
        return noisy(found, format!("taskset -c {isolated} roundtrip run"));
    }
    fine(format!("measurements use the isolated CPUs {list}"))
}

fn heat(evidence: &Evidence) -> Option<Verdict> {
    let at = evidence.number("cpu.temperature_celsius").map(|celsius| format!(", {celsius} degrees Celsius"));
    let at = at.unwrap_or_default();
    let watched = |key| evidence.noise.get(key).copied();
    match (watched("thermal_throttle_events"), watched("thermal_pressure_level")) {
        (None, None) => not_shown(evidence, "throttling"),
        (Some(0), _) => fine(format!("no throttling observed{at}")),
        (None, Some(0)) => fine("no thermal pressure"),
        (None, Some(level)) => {
            noisy(format!("thermal pressure {level} of 4"), "Let the machine cool down, or clean its fans.")
        }
        (Some(events), _) => noisy(
            format!("throttled {events} times in one second{at}"),
            "Let the machine cool down, clean its fans, or lower the frequency limit:\nsudo cpupower \
             frequency-set --max 2GHz",
        ),
    }
}

fn power(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("machine.power") {
        // Linux lists all power supplies, so an empty list means no battery.
        None if evidence.is_linux() => fine("no battery"),
        None => not_shown(evidence, "the power source"),
        Some("mains") => fine("mains"),
        Some(other) => noisy(other, "Plug in the power supply."),
    }
}

// Rules about sharing the processors: with a host, other guests, a cgroup or other tasks.

/// A higher one-minute average means that something ran half of the time.
const LOAD_MAX: f64 = 0.5;

/// The suite is idle while the doctor observes, so no task should wait for a processor. In 25 windows of 200 ms on an
/// idle machine with two processors, tasks waited 0 % in most of them and 2.1 % in the worst.
const IDLE_CPU_PRESSURE_PERCENT_MAX: f64 = 5.0;

pub(super) const SHARING: &[Rule] = rules! {
    virtual_machine "virtual-machine"
        "A host can pause a guest at any time, and waking an idle guest takes longer.";
    steal "steal" "While the hypervisor runs another guest, this one is paused but its clocks continue.";
    quota "quota" "A cgroup that has used its quota is paused until the next period.";
    load "load" "Other tasks compete for CPU time, caches and memory.";
    other_tasks "other-tasks" "Tasks that wait for a CPU now will also wait during measurement.";
    memory_pressure "memory-pressure" "A machine short of memory can stall tasks at any time.";
};

fn virtual_machine(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("machine.hypervisor")? {
        "none" => fine("not a guest"),
        _ => {
            let under = evidence.fact("machine.hypervisor_vendor").map(|name| format!(" of {name}"));
            let found = format!("a guest{}", under.unwrap_or_default());
            noisy(found, "Use a physical machine, or a guest with dedicated CPUs.")
        }
    }
}

fn steal(evidence: &Evidence) -> Option<Verdict> {
    if evidence.fact("machine.hypervisor").is_some() && !evidence.is_guest() {
        return fine("not a guest");
    }
    let cpus = evidence.noise.get("machine_cpus").copied().unwrap_or(1).max(1);
    let now = evidence.watched_percent("steal_ns").map(|percent| percent / cpus as f64);
    let since_start = evidence
        .number("load.steal_ticks")
        .zip(evidence.number("load.all_ticks").filter(|&ticks| ticks > 0))
        .map(|(steal, all)| steal as f64 / all as f64 * 100.0);
    let (now, since_start) = now.zip(since_start)?;
    let found = format!("{now:.1} % of CPU time while observed, {since_start:.2} % since boot");
    if now.max(since_start) > noise::STEAL_SHARE_MAX * 100.0 {
        return noisy(found, "Use a less loaded host, or dedicated CPUs.");
    }
    fine(found)
}

fn quota(evidence: &Evidence) -> Option<Verdict> {
    match evidence.fact("limit.job_cpu") {
        Some("none") => return fine("no job object limit"),
        Some(rate) => {
            return noisy(
                format!("a job object limits it to {rate} of the CPUs"),
                "Run it outside that job: not in a container or service.",
            );
        }
        None if !evidence.is_linux() => return None,
        None => {}
    }
    let Some(quota) = evidence.fact("limit.cgroup_cpu") else {
        return fine("no control groups");
    };
    let Some((quota_us, period_us)) = quota
        .split_once(' ')
        .and_then(|(quota, period)| Some((quota.parse::<u64>().ok()?, period.parse::<u64>().ok()?)))
    else {
        return fine("none");
    };
    let found = format!("{quota_us} us of each {period_us} us");
    let remedy = "Start the container without --cpus and --cpu-quota; in a systemd unit:\n\
                  sudo systemctl set-property NAME.service CPUQuota=";
    noisy(found, remedy)
}

fn load(evidence: &Evidence) -> Option<Verdict> {
    let average = evidence.fact("load.average").and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let (average, found) = match (average, evidence.busy_processors()) {
        (Some(average), _) => (average, format!("{average:.2} over the last minute")),
        // Without a run queue, the busy processors show the load.
        (None, Some(busy)) => (busy, format!("{busy:.2} CPUs busy while observed")),
        (None, None) => return None,
    };
    if average > LOAD_MAX {
        let wait = format!("Wait until it is below {LOAD_MAX}, or stop other programs");
        let show = |which: &str| format!("{wait}:\n{which}");
        let on_linux = show("ps -eo pid,psr,pcpu,comm --sort=-pcpu | head");
        let on_bsd = show("ps -axo pid,pcpu,comm -r | head");
        let commands = [("linux", &*on_linux), ("freebsd", &on_bsd), ("macos", &on_bsd)];
        return noisy(found, evidence.remedy(&commands, &format!("{wait}.")));
    }
    fine(found)
}

fn other_tasks(evidence: &Evidence) -> Option<Verdict> {
    let waited = evidence.watched_percent("cpu_pressure_ns");
    let runnable = evidence.number("load.runnable_tasks");
    let found = match (runnable, waited) {
        (None, None) => return None,
        (Some(tasks), None) => format!("{tasks} runnable"),
        (None, Some(percent)) => format!("tasks waited for a CPU {percent:.1} % of the time"),
        (Some(tasks), Some(percent)) => {
            format!("{tasks} runnable, tasks waited for a CPU {percent:.1} % of the time")
        }
    };
    if runnable > Some(0) || waited > Some(IDLE_CPU_PRESSURE_PERCENT_MAX) {
        return noisy(found, "ps -eo pid,psr,pcpu,comm --sort=-pcpu | head");
    }
    fine(found)
}

fn memory_pressure(evidence: &Evidence) -> Option<Verdict> {
    let percent = evidence.watched_percent("memory_pressure_ns")?;
    let found = format!("tasks waited for memory {percent:.1} % of the time");
    if percent > noise::MEMORY_PRESSURE_SHARE_MAX * 100.0 {
        return noisy(found, "ps -eo pid,rss,comm --sort=-rss | head");
    }
    fine(found)
}

// Rules about limits that keep part of the suite from running, or give it less than requested.

/// Many times the number of descriptors that one repetition and the harness hold at the same time.
const OPEN_FILES_MIN: u64 = 256;

// Numbers of capabilities (linux/capability.h).
const CAP_SYS_PTRACE: u32 = 19;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_SYS_RESOURCE: u32 = 24;
const CAP_PERFMON: u32 = 38;

pub(super) const LIMIT: &[Rule] = rules! {
    message_queues "message-queues"
        "posix-mq needs queues of 10 messages of the longest size in a preset.";
    pipe_size "pipe-size" "Without privileges, a pipe cannot be larger than this.";
    socket_buffers "socket-buffers"
        "The kernel silently limits larger requests, so those cases run with smaller buffers.";
    open_files "open-files" "Each end of a channel uses an open file.";
    perf_events "perf-events" "The probes counters and sched use perf_event_open, including kernel events.";
    ptrace "ptrace" "The probe syscalls traces child processes; process-vm-readv reads a sibling's memory.";
};

/// A system's names for the limits of message queues, and what it needs to provide queues.
struct QueueNames {
    messages: &'static str,
    message_bytes: &'static str,
    none: (&'static str, &'static str),
}

fn message_queues(evidence: &Evidence) -> Option<Verdict> {
    /// The kernel's overhead per queued message, counted against the limit: a header and a tree node, rounded up
    /// (getrlimit(2), `RLIMIT_MSGQUEUE`).
    const OVERHEAD_BYTES: u64 = 128;
    let names = match evidence.system {
        "linux" => QueueNames {
            messages: "fs.mqueue.msg_max",
            message_bytes: "fs.mqueue.msgsize_max",
            none: ("this kernel has no POSIX message queues", "Use a kernel with CONFIG_POSIX_MQUEUE."),
        },
        // See mqueuefs(4).
        "freebsd" => QueueNames {
            messages: "kern.mqueue.maxmsg",
            message_bytes: "kern.mqueue.maxmsgsize",
            none: ("mqueuefs is not loaded", "sudo kldload mqueuefs"),
        },
        _ => return None,
    };
    let (Some(messages), Some(bytes)) =
        (evidence.number("limit.queue_messages"), evidence.number("limit.queue_message_bytes"))
    else {
        return limiting(names.none.0, names.none.1);
    };
    let wanted_messages = u64::from(message_queue::MESSAGES_MAX);
    let wanted_bytes = evidence.needs.queue_message_bytes;
    // One queue per direction.
    let wanted_all = 2 * wanted_messages * (wanted_bytes + OVERHEAD_BYTES);
    let all = evidence.fact("limit.queue_bytes").unwrap_or("unlimited");
    let all_suffice = all.parse::<u64>().map_or(true, |all| all >= wanted_all);
    let privileged = evidence.has_capability(CAP_SYS_RESOURCE);
    let in_all = all.parse().map_or_else(|_| all.to_owned(), size);
    let found = format!(
        "{messages} messages of {}, {in_all} in total; presets send {}",
        size(bytes),
        size(wanted_bytes)
    );
    let mut remedy = Vec::new();
    if messages < wanted_messages && !privileged {
        remedy.push(format!("sudo sysctl {}={wanted_messages}", names.messages));
    }
    if bytes < wanted_bytes && !privileged {
        remedy.push(format!("sudo sysctl {}={wanted_bytes}", names.message_bytes));
    }
    if !all_suffice {
        remedy.push(format!("sudo prlimit --pid $$ --msgqueue={wanted_all}"));
    }
    if remedy.is_empty() { fine(found) } else { limiting(found, remedy.join("\n")) }
}

fn pipe_size(evidence: &Evidence) -> Option<Verdict> {
    let bytes = evidence.number("limit.pipe_max_bytes")?;
    let wanted = evidence.needs.buffer_bytes;
    let found = format!("at most {}; presets use {}", size(bytes), size(wanted));
    if bytes < wanted && !evidence.has_capability(CAP_SYS_RESOURCE) {
        return limiting(found, format!("sudo sysctl fs.pipe-max-size={}", wanted.next_power_of_two()));
    }
    fine(found)
}

fn socket_buffers(evidence: &Evidence) -> Option<Verdict> {
    let receive = evidence.number("limit.socket_receive_max_bytes")?;
    let send = evidence.number("limit.socket_send_max_bytes")?;
    let wanted = evidence.needs.buffer_bytes;
    let found = format!("at most {}; presets use {}", size(receive.min(send)), size(wanted));
    if receive.min(send) < wanted {
        let on_linux = format!("sudo sysctl net.core.rmem_max={wanted} net.core.wmem_max={wanted}");
        // A socket gets less than this: its accounting is larger than its content (`sb_max_adj` in
        // sys/kern/uipc_sockbuf.c).
        let on_freebsd = format!("sudo sysctl kern.ipc.maxsockbuf={}", 2 * wanted);
        let commands = [("linux", on_linux.as_str()), ("freebsd", on_freebsd.as_str())];
        return limiting(found, evidence.remedy(&commands, "Allow larger socket buffers."));
    }
    fine(found)
}

fn open_files(evidence: &Evidence) -> Option<Verdict> {
    let limit = evidence.fact("limit.open_files")?;
    if limit.parse::<u64>().is_ok_and(|limit| limit < OPEN_FILES_MIN) {
        return limiting(limit, "ulimit -n 1024");
    }
    fine(limit)
}

fn perf_events(evidence: &Evidence) -> Option<Verdict> {
    /// From 2 on, the kernel is not counted (`perf_event_open(2)`).
    const PARANOID_MAX: i64 = 1;
    if evidence.has_capability(CAP_PERFMON) || evidence.has_capability(CAP_SYS_ADMIN) {
        return fine("allowed by a capability of this process");
    }
    match evidence.fact("os.perf_event_paranoid").and_then(|level| level.parse::<i64>().ok()) {
        None if !evidence.is_linux() => unknown("perf_event_open exists only on Linux"),
        None => limiting("not in this kernel", "Use a kernel with CONFIG_PERF_EVENTS."),
        Some(level) if level <= PARANOID_MAX => fine(format!("kernel.perf_event_paranoid is {level}")),
        Some(level) => limiting(
            format!("kernel.perf_event_paranoid is {level}"),
            "sudo sysctl kernel.perf_event_paranoid=1",
        ),
    }
}

fn ptrace(evidence: &Evidence) -> Option<Verdict> {
    let scope = evidence.fact("os.ptrace_scope")?;
    // 1 allows tracing child processes and processes that permit it, which is all that the suite does (ptrace(2)).
    let forbidden = match scope {
        "2" => !evidence.has_capability(CAP_SYS_PTRACE),
        "3" => true,
        _ => false,
    };
    if !forbidden {
        return fine(if scope == "no Yama" { scope.into() } else { format!("ptrace_scope is {scope}") });
    }
    let remedy = match scope {
        "3" => "Reboot with kernel.yama.ptrace_scope=1; 3 cannot be changed at run time.",
        _ => "sudo sysctl kernel.yama.ptrace_scope=1",
    };
    limiting(format!("kernel.yama.ptrace_scope is {scope}"), remedy)
}

/// In the largest unit that gives a whole number.
fn size(bytes: u64) -> String {
    match bytes {
        0 => "0 B".into(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}
