//! The script for FreeBSD's dtrace(1), and the parser of its output.

use super::ranked;
use roundtrip_wire::SystemCalls;
use std::collections::BTreeMap;

/// Printed once every call is counted.
pub(super) const READY: &str = "ready";

/// Calls that return the number of moved bytes.
const RETURN_BYTES: &[&str] = &[
    "copy_file_range",
    "kmq_timedreceive",
    "pread",
    "preadv",
    "pwrite",
    "pwritev",
    "read",
    "readv",
    "recvfrom",
    "recvmsg",
    "sendmsg",
    "sendto",
    "write",
    "writev",
];

/// A D program that counts the calls of these processes by thread, name and bytes moved (-1 if none, or if the call
/// failed), and finally prints one line for each. A result of -1 is a failure (`syscall` provider of FreeBSD,
/// systrace.c). Communication with the harness over standard input, output and error is not counted.
pub(super) fn program(pids: &[u32]) -> String {
    let of_these: Vec<String> = pids.iter().map(|pid| format!("pid == {pid}")).collect();
    let of_these = if of_these.is_empty() { "0".to_owned() } else { of_these.join(" || ") };
    let returns = |calls: &[&str]| {
        let probes: Vec<String> = calls.iter().map(|call| format!("syscall:freebsd:{call}:return")).collect();
        probes.join(",")
    };
    let (harness, counted) = (returns(&["read", "readv", "write", "writev"]), returns(RETURN_BYTES));
    format!(
        "BEGIN {{ printf(\"{READY}\\n\"); }}\n\
         syscall:freebsd::entry /{of_these}/ {{ self->entered = 1; self->first = arg0; self->third = arg2; }}\n\
         {harness} /self->entered && (uint64_t)self->first <= 2/ {{ self->entered = 0; }}\n\
         {counted} /self->entered/ {{ @calls[tid, probefunc, (int64_t)arg1] = count(); self->entered = 0; }}\n\
         syscall:freebsd:kmq_timedsend:return /self->entered/ {{ \
         @calls[tid, probefunc, arg1 == 0 ? (int64_t)self->third : (int64_t)-1] = count(); self->entered = 0; }}\n\
         syscall:freebsd::return /self->entered/ {{ @calls[tid, probefunc, (int64_t)-1] = count(); self->entered = 0; }}\n\
         END {{ printa(\"call %d %s %d %@u\\n\", @calls); }}\n"
    )
}

/// The calls of each thread, the most frequent first; `None` if a line does not have the expected form.
pub(super) fn calls(output: &str) -> Option<BTreeMap<u32, Vec<SystemCalls>>> {
    let mut threads: BTreeMap<u32, Vec<SystemCalls>> = BTreeMap::new();
    for line in output.lines().filter(|line| !line.is_empty() && *line != READY) {
        let mut words = line.strip_prefix("call ")?.split(' ');
        let (thread, name) = (words.next()?.parse().ok()?, words.next()?.to_owned());
        let bytes: i64 = words.next()?.parse().ok()?;
        let calls =
            SystemCalls { name, bytes: u64::try_from(bytes).ok(), count: words.next()?.parse().ok()? };
        if words.next().is_some() {
            return None;
        }
        threads.entry(thread).or_default().push(calls);
    }
    Some(threads.into_iter().map(|(thread, calls)| (thread, ranked(calls))).collect())
}

/// Whether it reports dropped events: then its counts are too low.
pub(super) fn has_lost(complaints: &str) -> bool {
    complaints.lines().any(|line| line.contains(" drop"))
}

/// Why it did not start, from its error output.
pub(super) fn refusal(complaints: &str) -> String {
    let first = complaints.lines().find(|line| !line.trim().is_empty());
    let reason = first.map_or("no output", |line| line.trim().trim_start_matches("dtrace: "));
    format!("dtrace failed: {reason} (it needs root and the kernel modules of dtraceall)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_calls_by_thread() {
        let output = "ready\n\ncall 100322 read 8192 100\ncall 100322 _umtx_op -1 3\ncall 100322 read -1 101\n\
                      call 100417 kmq_timedsend 64 7\n";
        let calls = calls(output).unwrap();
        let entry = |name: &str, bytes, count| SystemCalls { name: name.into(), bytes, count };
        assert_eq!(
            calls[&100_322],
            [entry("read", None, 101), entry("read", Some(8_192), 100), entry("_umtx_op", None, 3)]
        );
        assert_eq!(calls[&100_417], [entry("kmq_timedsend", Some(64), 7)]);
        assert_eq!(calls.len(), 2);
    }

    #[test]
    fn rejects_malformed_output() {
        assert_eq!(calls("ready\n"), Some(BTreeMap::new()));
        for output in ["call 1 read 5\n", "call 1 read 5 6 7\n", "call x read 5 6\n", "  1 read 5 6\n"] {
            assert_eq!(calls(output), None, "{output}");
        }
    }

    #[test]
    fn program_filters_by_process_and_descriptor() {
        let program = program(&[17, 4_711]);
        assert!(program.contains("/pid == 17 || pid == 4711/"), "{program}");
        let place = |text: &str| program.find(text).unwrap();
        assert!(place("self->first <= 2") < place("@calls"), "{program}");
        assert!(place("syscall:freebsd:sendto:return") < place("syscall:freebsd::return"), "{program}");
        assert_eq!(program.matches('{').count(), program.matches('}').count());
        assert!(super::program(&[]).contains("entry /0/"));
    }

    #[test]
    fn detects_losses_and_refusals() {
        assert!(has_lost("dtrace: 12 dynamic variable drops with non-empty dirty list\n"));
        assert!(has_lost("dtrace: 1 aggregation drop on CPU 3\n"));
        assert!(!has_lost("dtrace: buffer size lowered to 2m\n"));
        assert_eq!(
            refusal("\ndtrace: failed to initialize dtrace: Permission denied\nmore\n"),
            "dtrace failed: failed to initialize dtrace: Permission denied (it needs root and the kernel modules of dtraceall)"
        );
        assert!(refusal("").contains("no output"));
    }
}
