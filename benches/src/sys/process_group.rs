//! An external program and all processes that it starts: identified and killed together.

use std::io;
use std::process::{Child, Command};

/// A started program and its descendants. A process that leaves the group, such as a daemon, no longer belongs to it.
pub use imp::ProcessGroup;

/// Prepares a program that is not started yet, so that its processes can be identified. It ends with this process, as
/// [`super::death::prepare`] arranges; its own children must detect that themselves.
pub fn prepare(command: &mut Command) {
    super::death::prepare(command);
    imp::prepare(command);
}

/// [`prepare()`] for a program that runs unattended: it has no terminal, so it cannot wait for a password there.
pub fn prepare_without_terminal(command: &mut Command) {
    super::death::prepare(command);
    imp::prepare_without_terminal(command);
}

#[cfg(unix)]
mod imp {
    //! Unix: a process group (setpgid(2)).

    use super::*;
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;

    /// The group of a program and its descendants.
    #[derive(Debug)]
    pub struct ProcessGroup(Pid);

    pub(super) fn prepare(command: &mut Command) {
        // A new group with the process's number.
        command.process_group(0);
    }

    #[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
    pub(super) fn prepare_without_terminal(command: &mut Command) {
        // A new session has no terminal, and one new group with the process's number (setsid(2)).
        // SAFETY: one system call that is safe after fork and touches no memory of the parent.
        unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
    }

    impl ProcessGroup {
        /// For a program that has just been started.
        ///
        /// # Errors
        /// If it has no number.
        pub fn new(child: &Child) -> io::Result<Self> {
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            pid.map(Self).ok_or_else(|| io::Error::other("a process has the number 0"))
        }

        #[expect(unsafe_code, reason = "getpgid(2)")]
        pub(crate) fn holds(&self, other: u32) -> bool {
            // rustix assumes that a group's number is above 0: that of the first process may be 0 here.
            // SAFETY: takes a number.
            i32::try_from(other)
                .is_ok_and(|other| unsafe { libc::getpgid(other) } == self.0.as_raw_nonzero().get())
        }

        /// Ends all processes. If possible, call it before waiting for the program, while its number cannot be reused.
        pub fn end(&self) {
            // An empty group needs no ending.
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: a job object (`jobapi2.h`), inside the job of all children.

    use super::*;
    use crate::sys::{job, process};
    use std::os::windows::io::{AsRawHandle, OwnedHandle};
    use std::ptr;
    use windows_sys::Win32::System::JobObjects::{IsProcessInJob, TerminateJobObject};
    use windows_sys::Win32::System::Threading::PROCESS_QUERY_INFORMATION;

    /// Exit code of a terminated process.
    const KILLED: u32 = 1;

    /// The job of a program and its descendants.
    #[derive(Debug)]
    pub struct ProcessGroup(OwnedHandle);

    pub(super) fn prepare(_command: &mut Command) {}

    pub(super) fn prepare_without_terminal(_command: &mut Command) {}

    impl ProcessGroup {
        /// For a program that has just been started.
        ///
        /// # Errors
        /// If the system creates no job.
        pub fn new(child: &Child) -> io::Result<Self> {
            // It ends with this process, which has its only handle.
            let job = job::create()?;
            job::assign(&job, child)?;
            Ok(Self(job))
        }

        #[expect(unsafe_code, reason = "IsProcessInJob")]
        pub(crate) fn holds(&self, pid: u32) -> bool {
            // The limited right suffices on Windows, but not on Wine.
            let Ok(process) = process::open(pid, PROCESS_QUERY_INFORMATION) else { return false };
            let mut is_in = 0;
            // SAFETY: both handles are open, and the call writes one number.
            let asked = unsafe {
                IsProcessInJob(process.as_raw_handle(), self.0.as_raw_handle(), ptr::from_mut(&mut is_in))
            };
            asked != 0 && is_in != 0
        }

        /// Ends all processes.
        #[expect(unsafe_code, reason = "TerminateJobObject")]
        pub fn end(&self) {
            // SAFETY: the job is open. An empty one needs no ending.
            unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
        }
    }
}
