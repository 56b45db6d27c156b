//! Windows: `GetThreadTimes` (`processthreadsapi.h`), whose times grow by whole ticks of the clock, 15.6 ms on most
//! machines. No documented call tells the context switches, migrations or page faults of one thread.

use super::Usage;
use std::mem::MaybeUninit;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetCurrentThreadId, GetThreadTimes};

#[expect(unsafe_code, reason = "GetThreadTimes")]
pub(super) fn of_this_thread() -> Usage {
    let mut times = [const { MaybeUninit::uninit() }; 4];
    let [created, ended, kernel, user] = times.each_mut().map(MaybeUninit::as_mut_ptr);
    // SAFETY: the call writes four times; the handle stands for the calling thread.
    if unsafe { GetThreadTimes(GetCurrentThread(), created, ended, kernel, user) } == 0 {
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
