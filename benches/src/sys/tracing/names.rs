//! System calls that transports make: their names, and where the number of bytes they move is told.

use libc::c_long;

/// Where a call tells how many bytes it has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bytes {
    /// It moves none.
    None,
    /// In its result.
    Result,
    /// In this argument, counted from 0; its result is only success.
    Argument(usize),
}

/// Its name, where it is known.
pub(super) fn name(number: u64) -> String {
    known(number).map_or_else(|| format!("syscall-{number}"), |(name, _)| name.to_owned())
}

/// The bytes that a call moved which succeeded with this result.
pub(super) fn bytes(number: u64, arguments: &[u64; 6], result: u64) -> Option<u64> {
    match known(number)?.1 {
        Bytes::None => None,
        Bytes::Result => Some(result),
        Bytes::Argument(index) => arguments.get(index).copied(),
    }
}

/// Whether it moves bytes through the descriptor in its first argument, and that is standard input, output or error.
pub(super) fn is_with_harness(number: u64, arguments: &[u64; 6]) -> bool {
    let reads_or_writes = matches!(known(number), Some(("read" | "readv" | "write" | "writev", _)));
    reads_or_writes && arguments[0] <= 2
}

fn known(number: u64) -> Option<(&'static str, Bytes)> {
    Some(match c_long::try_from(number).ok()? {
        libc::SYS_copy_file_range => ("copy_file_range", Bytes::Result),
        libc::SYS_mq_timedreceive => ("mq_timedreceive", Bytes::Result),
        libc::SYS_mq_timedsend => ("mq_timedsend", Bytes::Argument(2)),
        libc::SYS_pread64 => ("pread64", Bytes::Result),
        libc::SYS_preadv => ("preadv", Bytes::Result),
        libc::SYS_process_vm_readv => ("process_vm_readv", Bytes::Result),
        libc::SYS_process_vm_writev => ("process_vm_writev", Bytes::Result),
        libc::SYS_pwrite64 => ("pwrite64", Bytes::Result),
        libc::SYS_pwritev => ("pwritev", Bytes::Result),
        libc::SYS_read => ("read", Bytes::Result),
        libc::SYS_readv => ("readv", Bytes::Result),
        libc::SYS_recvfrom => ("recvfrom", Bytes::Result),
        libc::SYS_recvmsg => ("recvmsg", Bytes::Result),
        libc::SYS_sendfile => ("sendfile", Bytes::Result),
        libc::SYS_sendmsg => ("sendmsg", Bytes::Result),
        libc::SYS_sendto => ("sendto", Bytes::Result),
        libc::SYS_splice => ("splice", Bytes::Result),
        libc::SYS_tee => ("tee", Bytes::Result),
        libc::SYS_vmsplice => ("vmsplice", Bytes::Result),
        libc::SYS_write => ("write", Bytes::Result),
        libc::SYS_writev => ("writev", Bytes::Result),

        libc::SYS_brk => ("brk", Bytes::None),
        libc::SYS_clock_nanosleep => ("clock_nanosleep", Bytes::None),
        libc::SYS_close => ("close", Bytes::None),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => ("epoll_wait", Bytes::None),
        libc::SYS_epoll_pwait => ("epoll_pwait", Bytes::None),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_eventfd => ("eventfd", Bytes::None),
        libc::SYS_eventfd2 => ("eventfd2", Bytes::None),
        libc::SYS_fcntl => ("fcntl", Bytes::None),
        libc::SYS_ftruncate => ("ftruncate", Bytes::None),
        libc::SYS_futex => ("futex", Bytes::None),
        libc::SYS_getrusage => ("getrusage", Bytes::None),
        libc::SYS_lseek => ("lseek", Bytes::None),
        libc::SYS_madvise => ("madvise", Bytes::None),
        libc::SYS_memfd_create => ("memfd_create", Bytes::None),
        libc::SYS_mmap => ("mmap", Bytes::None),
        libc::SYS_mprotect => ("mprotect", Bytes::None),
        libc::SYS_mremap => ("mremap", Bytes::None),
        libc::SYS_munmap => ("munmap", Bytes::None),
        libc::SYS_openat => ("openat", Bytes::None),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => ("poll", Bytes::None),
        libc::SYS_ppoll => ("ppoll", Bytes::None),
        libc::SYS_recvmmsg => ("recvmmsg", Bytes::None),
        libc::SYS_rt_sigprocmask => ("rt_sigprocmask", Bytes::None),
        libc::SYS_sched_yield => ("sched_yield", Bytes::None),
        libc::SYS_sendmmsg => ("sendmmsg", Bytes::None),
        libc::SYS_sigaltstack => ("sigaltstack", Bytes::None),
        _ => return None,
    })
}
