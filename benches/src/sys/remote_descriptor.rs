//! Copying another process's descriptors, by their numbers.

use super::Unsupported;
use super::handle::Handle;
use std::io;

/// Checks that this process may copy descriptors of another process of this user.
pub(crate) use imp::support;

/// Opens a process, whose descriptors can then be copied if it allows that ([`super::remote_memory::permit`]).
pub(crate) use imp::open;

/// Returns the number of a descriptor, for other processes.
pub(crate) use imp::number;

/// Copies the descriptor that has this number in that process. Children of this process do not inherit it.
pub(crate) use imp::copy;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `pidfd_open(2)`, `pidfd_getfd(2)`; the permission is that of ptrace(2), so Yama may require
    //! `PR_SET_PTRACER` or more.

    use super::*;
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
    use rustix::thread::{CapabilitySet, capabilities};
    use std::os::fd::AsRawFd;

    pub(crate) fn support() -> Result<(), Unsupported> {
        let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        let may_trace =
            || capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_PTRACE));
        yama_permits(scope.trim(), may_trace)?;
        // A process may always copy its own.
        let own =
            io::pipe().and_then(|(reader, _writer)| copy(&open(std::process::id())?, number(&reader.into())));
        own.map(drop).map_err(|error| {
            Unsupported::because(format!(
                "pidfd_getfd failed ({error}): possibly older than Linux 5.6 or blocked by a seccomp filter"
            ))
        })
    }

    fn yama_permits(scope: &str, may_trace: impl Fn() -> bool) -> Result<(), Unsupported> {
        match scope {
            "2" if !may_trace() => Err(Unsupported::because(
                "pidfd_getfd needs CAP_SYS_PTRACE, because kernel.yama.ptrace_scope is 2",
            )),
            "3" => Err(Unsupported::because("kernel.yama.ptrace_scope is 3, which forbids pidfd_getfd")),
            // Without Yama, the file is missing. With 1, a process may allow it.
            _ => Ok(()),
        }
    }

    pub(crate) fn open(process: u32) -> io::Result<Handle> {
        let process =
            i32::try_from(process).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(pidfd_open(process, PidfdFlags::empty())?)
    }

    #[inline]
    pub(crate) fn number(handle: &Handle) -> i32 {
        handle.as_raw_fd()
    }

    #[inline]
    pub(crate) fn copy(process: &Handle, number: i32) -> io::Result<Handle> {
        match pidfd_getfd(process, number, PidfdGetfdFlags::empty()) {
            Err(Errno::SRCH) => Err(crate::sys::closed()),
            copied => Ok(copied?),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn yama_may_forbid_it() {
            for (scope, may_trace, permits) in [
                ("", false, true),
                ("1", false, true),
                ("2", false, false),
                ("2", true, true),
                ("3", true, false),
            ] {
                assert_eq!(yama_permits(scope, || may_trace).is_ok(), permits, "{scope} {may_trace}");
            }
        }

        #[test]
        fn dead_process_is_a_closed_channel() {
            let mut child = std::process::Command::new("true").spawn().unwrap();
            let process = open(child.id()).unwrap();
            child.wait().unwrap();
            assert_eq!(copy(&process, 0).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without an implementation yet.

    use super::*;

    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("pidfd_getfd exists only on Linux"))
    }

    pub(crate) fn number(_handle: &Handle) -> i32 {
        -1
    }

    missing! {
        pub(crate) fn open(u32) -> Handle;
        pub(crate) fn copy(&Handle, i32) -> Handle;
    }
}
