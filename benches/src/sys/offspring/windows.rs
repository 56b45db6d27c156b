//! Windows: a job object of its own (`jobapi2.h`), within that of all children.

use crate::sys::{job, process};
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::process::{Child, Command};
use std::ptr;
use windows_sys::Win32::System::JobObjects::{IsProcessInJob, TerminateJobObject};
use windows_sys::Win32::System::Threading::PROCESS_QUERY_INFORMATION;

/// What a process ends with that is ended from outside.
const KILLED: u32 = 1;

#[derive(Debug)]
pub(super) struct Offspring(OwnedHandle);

pub(super) fn prepare(_command: &mut Command) {}

impl Offspring {
    pub(super) fn of(child: &Child) -> io::Result<Self> {
        // It ends with this process, which alone holds its handle.
        let job = job::create()?;
        job::assign(&job, child)?;
        Ok(Self(job))
    }

    #[expect(unsafe_code, reason = "IsProcessInJob")]
    pub(super) fn holds(&self, pid: u32) -> bool {
        // Windows would be content with the limited right, Wine is not.
        let Ok(process) = process::open(pid, PROCESS_QUERY_INFORMATION) else { return false };
        let mut is_in = 0;
        // SAFETY: both handles are open, and the call writes one number.
        let asked = unsafe {
            IsProcessInJob(process.as_raw_handle(), self.0.as_raw_handle(), ptr::from_mut(&mut is_in))
        };
        asked != 0 && is_in != 0
    }

    #[expect(unsafe_code, reason = "TerminateJobObject")]
    pub(super) fn end(&self) {
        // SAFETY: the job is open. One without processes needs no ending.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
    }
}
