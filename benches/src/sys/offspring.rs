//! A program of somebody else and all processes that it starts: told apart from others, and ended together.

use std::io;
use std::process::{Child, Command};

/// A started program and all that it starts. A process that leaves it, as a daemon does, no longer belongs to it.
pub(crate) use imp::Offspring;

/// Arranges that a program which is not started yet can be told apart. It ends with this process, as
/// [`super::death::prepare`] arranges; what it starts must notice that by itself.
pub(crate) fn prepare(command: &mut Command) {
    super::death::prepare(command);
    imp::prepare(command);
}

#[cfg(unix)]
mod imp {
    //! Unix: a process group (setpgid(2)).

    use super::*;
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;

    #[derive(Debug)]
    pub(crate) struct Offspring(Pid);

    pub(super) fn prepare(command: &mut Command) {
        // One of its own, with its own number.
        command.process_group(0);
    }

    impl Offspring {
        /// Of a program that has just been started.
        pub(crate) fn of(child: &Child) -> io::Result<Self> {
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            pid.map(Self).ok_or_else(|| io::Error::other("a process has the number 0"))
        }

        #[expect(unsafe_code, reason = "getpgid(2)")]
        pub(crate) fn holds(&self, other: u32) -> bool {
            // rustix takes for granted that a group has a number above 0: that of the first process may be 0 here.
            // SAFETY: takes a number.
            i32::try_from(other)
                .is_ok_and(|other| unsafe { libc::getpgid(other) } == self.0.as_raw_nonzero().get())
        }

        /// Ends all of it. Call it before the program is waited for, if it can be: its number is then no other's.
        pub(crate) fn end(&self) {
            // A group without processes needs no ending.
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: a job object of its own (`jobapi2.h`), within that of all children.

    use super::*;
    use crate::sys::{job, process};
    use std::os::windows::io::{AsRawHandle, OwnedHandle};
    use std::ptr;
    use windows_sys::Win32::System::JobObjects::{IsProcessInJob, TerminateJobObject};
    use windows_sys::Win32::System::Threading::PROCESS_QUERY_INFORMATION;

    /// What a process ends with that is ended from outside.
    const KILLED: u32 = 1;

    #[derive(Debug)]
    pub(crate) struct Offspring(OwnedHandle);

    pub(super) fn prepare(_command: &mut Command) {}

    impl Offspring {
        pub(crate) fn of(child: &Child) -> io::Result<Self> {
            // It ends with this process, which alone holds its handle.
            let job = job::create()?;
            job::assign(&job, child)?;
            Ok(Self(job))
        }

        #[expect(unsafe_code, reason = "IsProcessInJob")]
        pub(crate) fn holds(&self, pid: u32) -> bool {
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
        pub(crate) fn end(&self) {
            // SAFETY: the job is open. One without processes needs no ending.
            unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
        }
    }
}
