//! macOS: `thread_info` with `THREAD_BASIC_INFO` (`mach/thread_info.h`), and `pthread_threadid_np`. Context switches and
//! page faults are told of whole processes only (getrusage(2)).

use super::Usage;
use std::mem::MaybeUninit;

#[expect(unsafe_code, reason = "thread_info")]
pub(super) fn of_this_thread() -> Usage {
    let mut times = MaybeUninit::<libc::thread_basic_info>::uninit();
    let mut words = libc::THREAD_BASIC_INFO_COUNT;
    // SAFETY: takes the calling thread; its port is borrowed from the library, which keeps it.
    let thread = unsafe { libc::pthread_mach_thread_np(libc::pthread_self()) };
    let flavour = libc::THREAD_BASIC_INFO.cast_unsigned();
    // SAFETY: the structure is of this flavour, and as long as is said.
    let result = unsafe { libc::thread_info(thread, flavour, times.as_mut_ptr().cast(), &raw mut words) };
    if result != libc::KERN_SUCCESS || words != libc::THREAD_BASIC_INFO_COUNT {
        return Usage::default();
    }
    // SAFETY: the call has filled all of it.
    let times = unsafe { times.assume_init() };
    Usage {
        user_ns: nanoseconds(times.user_time),
        system_ns: nanoseconds(times.system_time),
        ..Usage::default()
    }
}

/// The times of `proc_pid_rusage` are in a unit that differs from machine to machine: not told.
pub(super) fn of_process(_pid: u32) -> Usage {
    Usage::default()
}

/// Numbers are of 64 bits and count up from the start of the machine.
#[expect(unsafe_code, reason = "pthread_threadid_np")]
pub(super) fn thread_id() -> Option<u32> {
    let mut number = 0;
    // SAFETY: 0 stands for the calling thread, and the call writes one number.
    let result = unsafe { libc::pthread_threadid_np(0, &raw mut number) };
    if result == 0 { u32::try_from(number).ok() } else { None }
}

fn nanoseconds(time: libc::time_value_t) -> Option<u64> {
    Some(u64::try_from(time.seconds).ok()? * 1_000_000_000 + u64::try_from(time.microseconds).ok()? * 1_000)
}
