//! Windows: a job object that kills its processes when its last handle is closed, which this process holds for as long as
//! it lives (`jobapi2.h`, `JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE`).

use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::{Child, Command};
use std::ptr;
use std::sync::Mutex;
use windows_sys::Win32::Foundation::WAIT_OBJECT_0;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::WaitForSingleObject;

/// The job of all children of this process.
static JOB: Mutex<Option<OwnedHandle>> = Mutex::new(None);

pub(super) fn prepare(_command: &mut Command) {}

#[expect(unsafe_code, reason = "AssignProcessToJobObject")]
pub(super) fn bind(child: &Child) -> io::Result<()> {
    let mut job = JOB.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let job = match &mut *job {
        Some(job) => job,
        none => none.insert(create()?),
    };
    // SAFETY: both handles are open.
    if unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) } != 0 {
        return Ok(());
    }
    let refusal = io::Error::last_os_error();
    // What has ended joins no job, and needs none.
    if has_ended(child) { Ok(()) } else { Err(refusal) }
}

#[expect(unsafe_code, reason = "WaitForSingleObject")]
fn has_ended(child: &Child) -> bool {
    // SAFETY: the handle is open.
    unsafe { WaitForSingleObject(child.as_raw_handle(), 0) == WAIT_OBJECT_0 }
}

/// Between its start and [`bind`] a child notices the end of this process by the end of its standard input.
#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(())
}

#[expect(unsafe_code, reason = "CreateJobObjectW and SetInformationJobObject")]
fn create() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name.
    let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
    if job.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    let job = unsafe { OwnedHandle::from_raw_handle(job) };
    // SAFETY: plain numbers, for which zeroes are valid.
    let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { mem::zeroed() };
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of_val(&limits) as u32;
    // SAFETY: the job is open, and the structure is of the class and the length that are named.
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
