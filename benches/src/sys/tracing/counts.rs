//! System calls of one thread, counted by name and bytes.

use super::super::ranked;
use super::ptrace::Progress;
use libc::c_long;
use roundtrip_wire::SystemCalls;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Counts {
    /// The current call: its exit reports neither its number nor its arguments.
    entered: Option<(u64, [u64; 6])>,
    /// By number and bytes moved.
    calls: HashMap<(u64, Option<u64>), u64>,
}

impl Counts {
    /// Records that the thread enters or leaves a call. A call that was entered before the thread was watched has no
    /// name, and is not counted.
    pub(super) fn note(&mut self, progress: Progress) {
        match progress {
            Progress::Entry { number, arguments } => self.entered = Some((number, arguments)),
            Progress::Exit { result } => {
                let Some((number, arguments)) = self.entered.take() else { return };
                if is_with_harness(number, &arguments) {
                    return;
                }
                let bytes = result.and_then(|result| bytes_of(number, &arguments, result));
                *self.calls.entry((number, bytes)).or_default() += 1;
            }
            Progress::Neither => {}
        }
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
    let old = among!(number; Bytes::None => SYS_epoll_wait SYS_eventfd SYS_poll;);
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
            SYS_brk SYS_clock_nanosleep SYS_close SYS_epoll_pwait SYS_eventfd2 SYS_fcntl
            SYS_ftruncate SYS_futex SYS_getrusage SYS_lseek SYS_madvise SYS_memfd_create SYS_mmap
            SYS_mprotect SYS_mremap SYS_munmap SYS_openat SYS_ppoll SYS_recvmmsg SYS_rt_sigprocmask
            SYS_sched_yield SYS_sendmmsg SYS_sigaltstack;
    );
    everywhere.or(old)
}

#[cfg(test)]
mod tests {
    use super::super::super::{ENTRIES_MAX, OTHER};
    use super::*;

    fn call(counts: &mut Counts, number: c_long, arguments: [u64; 6], result: Option<u64>) {
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
        counts.note(Progress::Exit { result: Some(1) });
        for result in [Some(64), Some(8_192), Some(8_192), None] {
            call(&mut counts, libc::SYS_read, [3, 0, 8_192, 0, 0, 0], result);
        }
        for _ in 0..3 {
            call(&mut counts, libc::SYS_mq_timedsend, [3, 0, 500, 0, 0, 0], Some(0));
        }
        call(&mut counts, libc::SYS_futex, [0; 6], Some(1));
        call(&mut counts, 9_999, [0; 6], Some(1));
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
        call(&mut counts, libc::SYS_read, [0; 6], Some(3));
        call(&mut counts, libc::SYS_write, [1, 0, 0, 0, 0, 0], Some(3));
        call(&mut counts, libc::SYS_write, [3, 0, 0, 0, 0, 0], Some(3));
        // The first argument of a futex is an address, not a descriptor.
        call(&mut counts, libc::SYS_futex, [0; 6], Some(0));
        assert_eq!(counts.into_calls(), [calls("futex", None, 1), calls("write", Some(3), 1)]);
    }

    #[test]
    fn sums_the_rarest_calls() {
        let mut counts = Counts::default();
        for bytes in 1..=100 {
            for _ in 0..bytes {
                call(&mut counts, libc::SYS_read, [3; 6], Some(bytes));
            }
        }
        let found = counts.into_calls();
        assert_eq!(found.len(), ENTRIES_MAX);
        assert_eq!(found.first(), Some(&calls("read", Some(100), 100)));
        assert_eq!(found.last(), Some(&calls(OTHER, None, (1..=37).sum())));
    }
}
