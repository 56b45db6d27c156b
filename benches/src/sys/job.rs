//! Windows: job objects that kill their processes when their last handle is closed (`jobapi2.h`,
//! `JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE`).

use super::process::owned;
use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;
use windows_sys::Win32::Foundation::WAIT_OBJECT_0;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::WaitForSingleObject;

/// Adds a process that has just been started to a job. A process that has ended cannot join a job, and need not.
#[expect(unsafe_code, reason = "AssignProcessToJobObject")]
pub(super) fn assign(job: &OwnedHandle, child: &Child) -> io::Result<()> {
    // SAFETY: both handles are open.
    if unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) } != 0 {
        return Ok(());
    }
    let refusal = io::Error::last_os_error();
    if has_ended(child) { Ok(()) } else { Err(refusal) }
}

#[expect(unsafe_code, reason = "CreateJobObjectW and SetInformationJobObject")]
pub(super) fn create() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name.
    let job = owned(unsafe { CreateJobObjectW(ptr::null(), ptr::null()) })?;
    // SAFETY: plain numbers, for which zeroes are valid.
    let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { mem::zeroed() };
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of_val(&limits) as u32;
    // SAFETY: the job is open, and the structure matches the class and length.
    let done = unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            bytes,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
}

#[expect(unsafe_code, reason = "WaitForSingleObject")]
fn has_ended(child: &Child) -> bool {
    // SAFETY: the handle is open.
    unsafe { WaitForSingleObject(child.as_raw_handle(), 0) == WAIT_OBJECT_0 }
}
