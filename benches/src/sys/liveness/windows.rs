//! Windows: `OpenProcess` and `GetProcessTimes` (`processthreadsapi.h`).

use crate::sys::process;
use std::io::ErrorKind;
use std::mem::MaybeUninit;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::WAIT_TIMEOUT;
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, WaitForSingleObject,
};

/// When the process with this number started, in units of 100 ns; none if it has ended. 0 if another user's, whom we may
/// not ask.
#[expect(unsafe_code, reason = "calls of the system")]
pub(super) fn started(id: u32) -> Option<u32> {
    let process = match process::open(id, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE) {
        Ok(process) => process,
        Err(error) => return (error.kind() == ErrorKind::PermissionDenied).then_some(0),
    };
    // An ended process stays while somebody holds a handle of it, and then no longer lets anybody wait.
    // SAFETY: the handle is open.
    if unsafe { WaitForSingleObject(process.as_raw_handle(), 0) } != WAIT_TIMEOUT {
        return None;
    }
    let mut times = [const { MaybeUninit::uninit() }; 4];
    let [created, ended, kernel, user] = times.each_mut().map(MaybeUninit::as_mut_ptr);
    // SAFETY: the handle is open, and the call writes four times.
    if unsafe { GetProcessTimes(process.as_raw_handle(), created, ended, kernel, user) } == 0 {
        return None;
    }
    // SAFETY: the call has filled it.
    Some(unsafe { times[0].assume_init() }.dwLowDateTime)
}
