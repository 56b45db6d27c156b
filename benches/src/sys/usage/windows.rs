//! Windows: `GetThreadTimes` (`processthreadsapi.h`), whose times grow by whole ticks of the clock, 15.6 ms on most
//! machines. No documented call tells the context switches, migrations or page faults of one thread.

use super::Usage;
use crate::sys::process;
use std::mem::MaybeUninit;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentThread, GetCurrentThreadId, GetProcessTimes, GetThreadTimes, PROCESS_QUERY_LIMITED_INFORMATION,
};

#[expect(unsafe_code, reason = "GetThreadTimes")]
pub(super) fn of_this_thread() -> Usage {
    // SAFETY: the handle stands for the calling thread, and each of the four addresses is of room for a time.
    times(|[created, ended, kernel, user]| unsafe {
        GetThreadTimes(GetCurrentThread(), created, ended, kernel, user)
    })
}

#[expect(unsafe_code, reason = "GetProcessTimes")]
pub(super) fn of_process(pid: u32) -> Usage {
    let Ok(process) = process::open(pid, PROCESS_QUERY_LIMITED_INFORMATION) else { return Usage::default() };
    // SAFETY: the handle is open, and each of the four addresses is of room for a time.
    times(|[created, ended, kernel, user]| unsafe {
        GetProcessTimes(process.as_raw_handle(), created, ended, kernel, user)
    })
}

/// Those of the kernel and of the user, which come third and fourth, if the call succeeds.
#[expect(unsafe_code, reason = "what a call has filled")]
fn times(call: impl FnOnce([*mut FILETIME; 4]) -> i32) -> Usage {
    let mut times = [const { MaybeUninit::uninit() }; 4];
    if call(times.each_mut().map(MaybeUninit::as_mut_ptr)) == 0 {
        return Usage::default();
    }
    // SAFETY: the call has filled both.
    let (kernel, user) = unsafe { (times[2].assume_init(), times[3].assume_init()) };
    Usage { user_ns: Some(nanoseconds(user)), system_ns: Some(nanoseconds(kernel)), ..Usage::default() }
}

#[expect(unsafe_code, reason = "GetCurrentThreadId")]
#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems have none")]
pub(super) fn thread_id() -> Option<u32> {
    // SAFETY: takes nothing.
    Some(unsafe { GetCurrentThreadId() })
}

/// A duration is counted in units of 100 ns.
fn nanoseconds(time: FILETIME) -> u64 {
    (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100
}
