//! System calls of one thread, counted by name and bytes, and in detail if wanted.

use super::super::{Calls, Observed, Outcome, ranked};
use super::ptrace::Progress;
use crate::sys::clock;
use crate::sys::tree::Tree;
use libc::c_long;
use roundtrip_wire::SystemCalls;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Counts {
    /// The current call: its exit reports neither its number nor its arguments.
    entered: Option<(u64, [u64; 6])>,
    /// By number and bytes moved.
    calls: HashMap<(u64, Option<u64>), u64>,
    details: Option<Details>,
}

/// The times of calls of the same kind: on a processor, and the rest.
#[derive(Debug, Default)]
struct Times {
    bytes: u64,
    on_cpu_ns: Vec<u64>,
    waited_ns: Vec<u64>,
}

/// The details of a thread's calls.
#[derive(Debug)]
struct Details {
    tid: u32,
    process: Option<u32>,
    /// Its time on a processor (Documentation/scheduler/sched-stats.rst).
    schedstat: Option<File>,
    /// The pipes of the harness.
    of_harness: Arc<HashSet<PathBuf>>,
    /// When the current call began: the clock, the time on a processor, and what it is made on.
    began: Option<(u64, u64, Option<&'static str>)>,
    calls: BTreeMap<(&'static str, Option<&'static str>, Outcome), Times>,
    /// Calls that [`known`] does not list.
    others: BTreeMap<u64, u64>,
}

impl Counts {
    /// Records that the thread enters or leaves a call. A call that was entered before the thread was watched has no
    /// name, and is not counted.
    pub(super) fn note(&mut self, progress: Progress) {
        match progress {
            Progress::Entry { number, arguments } => {
                self.entered = Some((number, arguments));
                if let Some(details) = &mut self.details {
                    details.enter(number, &arguments);
                }
            }
            Progress::Exit { result } => {
                let Some((number, arguments)) = self.entered.take() else { return };
                if let Some(details) = &mut self.details {
                    details.leave(number, &arguments, result);
                }
                if is_with_harness(number, &arguments) {
                    return;
                }
                let bytes = result.ok().and_then(|result| bytes_of(number, &arguments, result));
                *self.calls.entry((number, bytes)).or_default() += 1;
            }
            Progress::Neither => {}
        }
    }

    /// Of a thread whose calls are observed in detail.
    pub(super) fn in_detail(tid: u32, of_harness: &Arc<HashSet<PathBuf>>) -> Self {
        Self { details: Some(Details::new(tid, Arc::clone(of_harness))), ..Self::default() }
    }

    /// The thread's calls in detail.
    pub(super) fn into_observed(mut self) -> Option<Observed> {
        let Details { tid, process, calls, others, .. } = self.details.take()?;
        let others =
            others.into_iter().map(|(number, count)| Calls { count, ..Calls::named(&name_of(number)) });
        let calls = calls.into_iter().map(|((name, on, outcome), times)| times.sum(name, on, outcome));
        let calls = calls.chain(others).collect();
        Some(Observed { process: process.unwrap_or(tid), thread: tid, calls, counts: self.into_calls() })
    }

    /// The most frequent first.
    pub(super) fn into_calls(self) -> Vec<SystemCalls> {
        let calls = self.calls.into_iter();
        let named = calls
            .map(|((number, bytes), count)| SystemCalls { name: name_of(number), bytes, count })
            .collect();
        ranked(named)
    }
}

impl Times {
    /// The sums of typical times: another process that takes the processor, or the watching thread's, makes some longer.
    fn sum(mut self, name: &str, on: Option<&str>, outcome: Outcome) -> Calls {
        let count = self.on_cpu_ns.len() as u64;
        let mut typical = |times: fn(&mut Self) -> &mut Vec<u64>, quarter| {
            let times = times(&mut self);
            let place = times.len() * quarter / 4;
            count * *times.select_nth_unstable(place).1
        };
        let (on_cpu_ns, waited_ns) =
            (typical(|times| &mut times.on_cpu_ns, 2), typical(|times| &mut times.waited_ns, 1));
        let on = on.map(str::to_owned);
        Calls { on, outcome, count, bytes: self.bytes, on_cpu_ns, waited_ns, ..Calls::named(name) }
    }
}

impl Details {
    fn new(tid: u32, of_harness: Arc<HashSet<PathBuf>>) -> Self {
        let process = Tree::system().field(&format!("/proc/{tid}/status"), "Tgid:");
        Self {
            tid,
            process: process.and_then(|process| process.parse().ok()),
            schedstat: File::open(format!("/proc/{tid}/schedstat")).ok(),
            of_harness,
            began: None,
            calls: BTreeMap::new(),
            others: BTreeMap::new(),
        }
    }

    fn on_cpu_ns(&self) -> u64 {
        let mut text = [0; 64];
        let read = self.schedstat.as_ref().and_then(|file| file.read_at(&mut text, 0).ok());
        let text = text.get(..read.unwrap_or(0)).and_then(|text| str::from_utf8(text).ok());
        text.and_then(|text| text.split(' ').next()?.parse().ok()).unwrap_or_default()
    }

    /// The kind of object behind a descriptor; `None` if it leads to the harness.
    fn kind(&self, descriptor: u64) -> Option<&'static str> {
        let target = fs::read_link(format!("/proc/{}/fd/{descriptor}", self.tid)).unwrap_or_default();
        let kinds = [
            ("socket:", "socket"),
            ("pipe:", "pipe"),
            ("anon_inode:[eventfd]", "eventfd"),
            ("anon_inode:[timerfd]", "timerfd"),
            ("anon_inode:", "anonymous"),
            ("/dev/", "device"),
            ("/", "file"),
        ];
        let kind =
            kinds.iter().find(|(start, _)| target.to_str().is_some_and(|text| text.starts_with(start)));
        match descriptor {
            2 => Some("standard-error"),
            _ if self.of_harness.contains(&target) => None,
            _ => Some(kind.map_or("unknown", |(_, kind)| *kind)),
        }
    }

    fn enter(&mut self, number: u64, arguments: &[u64; 6]) {
        let takes_descriptor = known(number).is_some_and(|(name, _)| DESCRIPTOR_CALLS.contains(&name));
        let on = match takes_descriptor {
            true => match self.kind(arguments[0]) {
                // With the harness.
                None => return,
                on => on,
            },
            false => None,
        };
        self.began = Some((clock::now_ns(), self.on_cpu_ns(), on));
    }

    fn leave(&mut self, number: u64, arguments: &[u64; 6], result: Result<u64, i32>) {
        let Some((began_ns, on_cpu_ns, on)) = self.began.take() else { return };
        let took_ns = clock::now_ns().saturating_sub(began_ns);
        let on_cpu_ns = self.on_cpu_ns().saturating_sub(on_cpu_ns);
        let Some((name, _)) = known(number) else {
            *self.others.entry(number).or_default() += 1;
            return;
        };
        let name = if name == "futex" { futex_operation(arguments[1]) } else { name };
        let outcome = match result {
            Ok(0) => Outcome::Zero,
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error),
        };
        let times = self.calls.entry((name, on, outcome)).or_default();
        times.bytes += result.ok().and_then(|result| bytes_of(number, arguments, result)).unwrap_or_default();
        times.on_cpu_ns.push(on_cpu_ns);
        times.waited_ns.push(took_ns.saturating_sub(on_cpu_ns));
    }
}

/// The calls whose first argument is a descriptor that matters.
const DESCRIPTOR_CALLS: [&str; 16] = [
    "fdatasync",
    "fsync",
    "pread64",
    "preadv",
    "pwrite64",
    "pwritev",
    "read",
    "readv",
    "recvfrom",
    "recvmsg",
    "sendfile",
    "sendmsg",
    "sendto",
    "splice",
    "write",
    "writev",
];

/// The operation of a futex(2), of which most wait or wake.
fn futex_operation(operation: u64) -> &'static str {
    let flags = u64::from((libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME).cast_unsigned());
    match i32::try_from(operation & !flags).unwrap_or(-1) {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => "futex-wait",
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET | libc::FUTEX_WAKE_OP => "futex-wake",
        libc::FUTEX_LOCK_PI => "futex-lock",
        libc::FUTEX_UNLOCK_PI => "futex-unlock",
        _ => "futex",
    }
}

// System calls that transports make: their names, and where the number of moved bytes is found.

/// The place in which a call reports the number of bytes it moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bytes {
    /// It moves none.
    None,
    /// In its result.
    Result,
    /// In this argument, counted from 0; its result only reports success.
    Argument(usize),
}

fn name_of(number: u64) -> String {
    known(number).map_or_else(|| format!("syscall-{number}"), |(name, _)| name.to_owned())
}

fn bytes_of(number: u64, arguments: &[u64; 6], result: u64) -> Option<u64> {
    match known(number)?.1 {
        Bytes::None => None,
        Bytes::Result => Some(result),
        Bytes::Argument(index) => arguments.get(index).copied(),
    }
}

/// Whether it moves bytes through the descriptor in its first argument, and that is standard input, output or error.
fn is_with_harness(number: u64, arguments: &[u64; 6]) -> bool {
    let reads_or_writes = matches!(known(number), Some(("read" | "readv" | "write" | "writev", _)));
    reads_or_writes && arguments[0] <= 2
}

/// The name of the call with this number and where its bytes are found, if it is one of these.
macro_rules! among {
    ($number:expr; $($bytes:expr => $($call:ident)*;)*) => {
        match $number {
            $($(libc::$call => Some((&stringify!($call)["SYS_".len()..], $bytes)),)*)*
            _ => None,
        }
    };
}

fn known(number: u64) -> Option<(&'static str, Bytes)> {
    let number = c_long::try_from(number).ok()?;
    #[cfg(target_arch = "x86_64")]
    let old = among!(number; Bytes::None => SYS_epoll_wait SYS_eventfd SYS_open SYS_poll SYS_select;);
    #[cfg(not(target_arch = "x86_64"))]
    let old = None;
    let everywhere = among!(number;
        Bytes::Argument(2) => SYS_mq_timedsend;
        Bytes::Result =>
            SYS_copy_file_range SYS_mq_timedreceive SYS_pread64 SYS_preadv SYS_process_vm_readv
            SYS_process_vm_writev SYS_pwrite64 SYS_pwritev SYS_read SYS_readv SYS_recvfrom
            SYS_recvmsg SYS_sendfile SYS_sendmsg SYS_sendto SYS_splice SYS_tee SYS_vmsplice
            SYS_write SYS_writev;
        Bytes::None =>
            SYS_brk SYS_clock_gettime SYS_clock_nanosleep SYS_clone SYS_clone3 SYS_close SYS_dup
            SYS_epoll_ctl SYS_epoll_pwait SYS_eventfd2 SYS_fcntl SYS_fdatasync SYS_fstat SYS_fsync
            SYS_ftruncate SYS_futex SYS_getegid SYS_geteuid SYS_getgid SYS_getpid SYS_getppid
            SYS_getrandom SYS_getrusage SYS_getsockopt SYS_gettid SYS_gettimeofday SYS_getuid SYS_ioctl
            SYS_kill SYS_lseek SYS_madvise SYS_membarrier SYS_memfd_create SYS_mmap SYS_mprotect
            SYS_mremap SYS_msync SYS_munmap SYS_nanosleep SYS_newfstatat SYS_openat SYS_ppoll
            SYS_pselect6 SYS_recvmmsg SYS_rt_sigaction SYS_rt_sigprocmask SYS_sched_getaffinity
            SYS_sched_setaffinity SYS_sched_yield SYS_sendmmsg SYS_setsockopt SYS_shutdown
            SYS_sigaltstack SYS_statx SYS_sync SYS_sync_file_range SYS_tgkill SYS_timerfd_settime
            SYS_uname;
    );
    everywhere.or(old)
}

#[cfg(test)]
mod tests {
    use super::super::super::{ENTRIES_MAX, OTHER};
    use super::*;

    fn call(counts: &mut Counts, number: c_long, arguments: [u64; 6], result: Result<u64, i32>) {
        counts.note(Progress::Entry { number: number as u64, arguments });
        counts.note(Progress::Exit { result });
    }

    fn calls(name: &str, bytes: Option<u64>, count: u64) -> SystemCalls {
        SystemCalls { name: name.into(), bytes, count }
    }

    #[test]
    fn groups_calls_by_name_and_bytes() {
        let mut counts = Counts::default();
        // The exit of a call that began before watching started.
        counts.note(Progress::Exit { result: Ok(1) });
        for result in [Ok(64), Ok(8_192), Ok(8_192), Err(libc::EAGAIN)] {
            call(&mut counts, libc::SYS_read, [3, 0, 8_192, 0, 0, 0], result);
        }
        for _ in 0..3 {
            call(&mut counts, libc::SYS_mq_timedsend, [3, 0, 500, 0, 0, 0], Ok(0));
        }
        call(&mut counts, libc::SYS_futex, [0; 6], Ok(1));
        call(&mut counts, 9_999, [0; 6], Ok(1));
        assert_eq!(
            counts.into_calls(),
            [
                calls("mq_timedsend", Some(500), 3),
                calls("read", Some(8_192), 2),
                calls("futex", None, 1),
                calls("read", None, 1),
                calls("syscall-9999", None, 1),
                calls("read", Some(64), 1),
            ]
        );
    }

    #[test]
    fn excludes_communication_with_the_harness() {
        let mut counts = Counts::default();
        call(&mut counts, libc::SYS_read, [0; 6], Ok(3));
        call(&mut counts, libc::SYS_write, [1, 0, 0, 0, 0, 0], Ok(3));
        call(&mut counts, libc::SYS_write, [3, 0, 0, 0, 0, 0], Ok(3));
        // The first argument of a futex is an address, not a descriptor.
        call(&mut counts, libc::SYS_futex, [0; 6], Ok(0));
        assert_eq!(counts.into_calls(), [calls("futex", None, 1), calls("write", Some(3), 1)]);
    }

    #[test]
    fn names_the_operation_of_a_futex() {
        let private = u64::from(libc::FUTEX_PRIVATE_FLAG.cast_unsigned());
        assert_eq!(futex_operation(private), "futex-wait");
        assert_eq!(futex_operation(1 | private), "futex-wake");
        assert_eq!(futex_operation(libc::FUTEX_WAIT_BITSET as u64 | 256), "futex-wait");
        assert_eq!(futex_operation(3), "futex");
    }

    #[test]
    fn sums_the_rarest_calls() {
        let mut counts = Counts::default();
        for bytes in 1..=100 {
            for _ in 0..bytes {
                call(&mut counts, libc::SYS_read, [3; 6], Ok(bytes));
            }
        }
        let found = counts.into_calls();
        assert_eq!(found.len(), ENTRIES_MAX);
        assert_eq!(found.first(), Some(&calls("read", Some(100), 100)));
        assert_eq!(found.last(), Some(&calls(OTHER, None, (1..=37).sum())));
    }
}
