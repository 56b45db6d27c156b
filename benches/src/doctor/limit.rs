//! Rules about limits: for them a part of the suite does not run, or runs with less than it asks for.

use super::Evidence;
use super::{Rule, Verdict};
use crate::sys::message_queue;

/// Descriptors that one repetition and the harness hold at once, many times over.
const OPEN_FILES_MIN: u64 = 256;

// Numbers of capabilities (linux/capability.h).
const CAP_SYS_PTRACE: u32 = 19;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_SYS_RESOURCE: u32 = 24;
const CAP_PERFMON: u32 = 38;

pub(super) const RULES: &[Rule] = &[
    Rule {
        slug: "message-queues",
        why: "posix-mq needs queues of 10 messages as long as the longest that a preset sends.",
        judge: message_queues,
    },
    Rule {
        slug: "pipe-size",
        why: "Without privilege a pipe cannot be made larger than this.",
        judge: pipe_size,
    },
    Rule {
        slug: "socket-buffers",
        why: "A socket that asks for more gets this much in silence, so its cases run with less.",
        judge: socket_buffers,
    },
    Rule { slug: "open-files", why: "Each end of a channel is an open file.", judge: open_files },
    Rule {
        slug: "perf-events",
        why: "The probes counters and sched count with perf_event_open, in the kernel too.",
        judge: perf_events,
    },
    Rule {
        slug: "ptrace",
        why: "The probe syscalls traces its children, and process-vm-readv reads a sibling's memory.",
        judge: ptrace,
    },
];

/// How a system calls the limits of its message queues, and what it needs to have any.
struct QueueNames {
    messages: &'static str,
    message_bytes: &'static str,
    none: (&'static str, &'static str),
}

fn message_queues(evidence: &Evidence) -> Verdict {
    /// What the kernel adds to each message of a queue when it counts against the limit: a header and a node of the
    /// tree, rounded up (getrlimit(2), `RLIMIT_MSGQUEUE`).
    const OVERHEAD_BYTES: u64 = 128;
    let names = match evidence.system {
        "linux" => QueueNames {
            messages: "fs.mqueue.msg_max",
            message_bytes: "fs.mqueue.msgsize_max",
            none: (
                "this kernel has no POSIX message queues",
                "Use a kernel that is built with CONFIG_POSIX_MQUEUE.",
            ),
        },
        // mqueuefs(4).
        "freebsd" => QueueNames {
            messages: "kern.mqueue.maxmsg",
            message_bytes: "kern.mqueue.maxmsgsize",
            none: ("mqueuefs is not loaded", "sudo kldload mqueuefs"),
        },
        _ => return Verdict::unknown("this system does not tell"),
    };
    let (Some(messages), Some(bytes)) =
        (evidence.number("limit.queue_messages"), evidence.number("limit.queue_message_bytes"))
    else {
        return Verdict::limiting(names.none.0, names.none.1);
    };
    let wanted_messages = u64::from(message_queue::MESSAGES_MAX);
    let wanted_bytes = evidence.needs.queue_message_bytes;
    // One queue each way.
    let wanted_all = 2 * wanted_messages * (wanted_bytes + OVERHEAD_BYTES);
    let all = evidence.fact("limit.queue_bytes").unwrap_or("unlimited");
    let all_suffice = all.parse::<u64>().map_or(true, |all| all >= wanted_all);
    let privileged = evidence.has_capability(CAP_SYS_RESOURCE);
    let in_all = all.parse().map_or_else(|_| all.to_owned(), size);
    let found = format!(
        "{messages} messages of {}, {in_all} in all; presets send {}",
        size(bytes),
        size(wanted_bytes)
    );
    let mut mend = Vec::new();
    if messages < wanted_messages && !privileged {
        mend.push(format!("sudo sysctl {}={wanted_messages}", names.messages));
    }
    if bytes < wanted_bytes && !privileged {
        mend.push(format!("sudo sysctl {}={wanted_bytes}", names.message_bytes));
    }
    if !all_suffice {
        mend.push(format!("sudo prlimit --pid $$ --msgqueue={wanted_all}"));
    }
    if mend.is_empty() { Verdict::fine(found) } else { Verdict::limiting(found, mend.join("\n")) }
}

fn pipe_size(evidence: &Evidence) -> Verdict {
    let Some(bytes) = evidence.number("limit.pipe_max_bytes") else {
        return Verdict::unknown("this system does not tell");
    };
    let wanted = evidence.needs.buffer_bytes;
    let found = format!("at most {}; presets ask for {}", size(bytes), size(wanted));
    if bytes < wanted && !evidence.has_capability(CAP_SYS_RESOURCE) {
        return Verdict::limiting(
            found,
            format!("sudo sysctl fs.pipe-max-size={}", wanted.next_power_of_two()),
        );
    }
    Verdict::fine(found)
}

fn socket_buffers(evidence: &Evidence) -> Verdict {
    let (Some(receive), Some(send)) =
        (evidence.number("limit.socket_receive_max_bytes"), evidence.number("limit.socket_send_max_bytes"))
    else {
        return Verdict::unknown("this system does not tell");
    };
    let wanted = evidence.needs.buffer_bytes;
    let found = format!("at most {}; presets ask for {}", size(receive.min(send)), size(wanted));
    if receive.min(send) < wanted {
        let on_linux = format!("sudo sysctl net.core.rmem_max={wanted} net.core.wmem_max={wanted}");
        // A socket gets less than this: what it is charged for is larger than what it holds (`sb_max_adj` in
        // sys/kern/uipc_sockbuf.c).
        let on_freebsd = format!("sudo sysctl kern.ipc.maxsockbuf={}", 2 * wanted);
        let commands = [("linux", on_linux.as_str()), ("freebsd", on_freebsd.as_str())];
        return Verdict::limiting(found, evidence.mend(&commands, "Let sockets have larger buffers."));
    }
    Verdict::fine(found)
}

fn open_files(evidence: &Evidence) -> Verdict {
    let Some(limit) = evidence.fact("limit.open_files") else {
        return Verdict::unknown("this system does not tell");
    };
    if limit.parse::<u64>().is_ok_and(|limit| limit < OPEN_FILES_MIN) {
        return Verdict::limiting(limit, "ulimit -n 1024");
    }
    Verdict::fine(limit)
}

fn perf_events(evidence: &Evidence) -> Verdict {
    /// From 2 on, only a program's own part is counted (`perf_event_open(2)`).
    const PARANOID_MAX: i64 = 1;
    if evidence.has_capability(CAP_PERFMON) || evidence.has_capability(CAP_SYS_ADMIN) {
        return Verdict::fine("permitted by a capability of this process");
    }
    match evidence.fact("os.perf_event_paranoid").and_then(|level| level.parse::<i64>().ok()) {
        None if !evidence.is_linux() => Verdict::unknown("perf_event_open is Linux's"),
        None => {
            Verdict::limiting("this kernel has none", "Use a kernel that is built with CONFIG_PERF_EVENTS.")
        }
        Some(level) if level <= PARANOID_MAX => {
            Verdict::fine(format!("kernel.perf_event_paranoid is {level}"))
        }
        Some(level) => Verdict::limiting(
            format!("kernel.perf_event_paranoid is {level}"),
            "sudo sysctl kernel.perf_event_paranoid=1",
        ),
    }
}

fn ptrace(evidence: &Evidence) -> Verdict {
    let Some(scope) = evidence.fact("os.ptrace_scope") else {
        return Verdict::unknown("this system does not tell");
    };
    // 1 allows tracing one's own children and who permits it, which is all that the suite does (ptrace(2)).
    let forbidden = match scope {
        "2" => !evidence.has_capability(CAP_SYS_PTRACE),
        "3" => true,
        _ => false,
    };
    if !forbidden {
        return Verdict::fine(if scope == "no Yama" {
            scope.into()
        } else {
            format!("ptrace_scope is {scope}")
        });
    }
    let mend = match scope {
        "3" => "Start the machine anew with kernel.yama.ptrace_scope=1: 3 cannot be undone before.",
        _ => "sudo sysctl kernel.yama.ptrace_scope=1",
    };
    Verdict::limiting(format!("kernel.yama.ptrace_scope is {scope}"), mend)
}

/// In the largest unit of which it is a whole number.
fn size(bytes: u64) -> String {
    match bytes {
        0 => "0 B".into(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}
