//! Children that die with the parent, so that no crash of ours leaves a process behind: [`prepare`] the command,
//! [`bind`] the child, which itself calls [`die_with_parent`]. Systems differ in which of the three does it.

use std::io;
use std::process::{Child, Command};

/// Arranges that the child is killed when the thread that spawns it ends, however it ends. Spawn from a thread
/// that lives as long as the child is wanted.
pub fn prepare(command: &mut Command) {
    imp::prepare(command);
}

/// Ties a child that has just been started to this process.
pub fn bind(child: &Child) -> io::Result<()> {
    imp::bind(child)
}

/// In the child: ends this process when its parent ends.
pub fn die_with_parent() -> io::Result<()> {
    imp::die_with_parent()
}

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `PR_SET_PDEATHSIG` (prctl(2)), set between fork and exec, so that there is no moment without it.

    use super::*;
    use std::os::unix::process::CommandExt;

    #[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
    pub(super) fn prepare(command: &mut Command) {
        // SAFETY: the closure makes one system call that is safe after fork and touches no memory of the parent.
        unsafe {
            command.pre_exec(|| {
                rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
                    .map_err(io::Error::from)
            });
        }
    }

    pub(super) fn bind(_child: &Child) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn die_with_parent() -> io::Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "macos")]
mod imp {
    //! macOS: a thread that waits for the end of the parent (`EVFILT_PROC` with `NOTE_EXIT`, kqueue(2)).

    use super::*;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::os::unix::process::parent_id;
    use std::{process, ptr, thread};

    /// The first process, and the parent of all that have lost theirs (launchd(8)).
    const LAUNCHD: u32 = 1;

    pub(super) fn prepare(_command: &mut Command) {}

    pub(super) fn bind(_child: &Child) -> io::Result<()> {
        Ok(())
    }

    #[expect(unsafe_code, reason = "kqueue and kevent")]
    pub(super) fn die_with_parent() -> io::Result<()> {
        // SAFETY: takes nothing.
        let queue = unsafe { libc::kqueue() };
        if queue < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and nobody else closes it.
        let queue = unsafe { OwnedFd::from_raw_fd(queue) };
        let parent = parent_id();
        let wish = libc::kevent {
            ident: parent as usize,
            filter: libc::EVFILT_PROC,
            flags: libc::EV_ADD | libc::EV_ONESHOT,
            fflags: libc::NOTE_EXIT,
            data: 0,
            udata: ptr::null_mut(),
        };
        // SAFETY: one wish to read, and no room for an event.
        let registered =
            unsafe { libc::kevent(queue.as_raw_fd(), &raw const wish, 1, ptr::null_mut(), 0, ptr::null()) };
        if registered < 0 {
            // It has ended already.
            return Err(io::Error::last_os_error());
        }
        // Whoever is left behind gets another parent, launchd (1), and would wait for the end of that.
        if parent == LAUNCHD || parent_id() != parent {
            return Err(io::Error::other("the parent has ended"));
        }
        thread::spawn(move || {
            let mut event = MaybeUninit::<libc::kevent>::uninit();
            // SAFETY: no wishes, and room for one event. Without a time it waits for ever.
            while unsafe {
                libc::kevent(queue.as_raw_fd(), ptr::null(), 0, event.as_mut_ptr(), 1, ptr::null())
            } < 1
            {}
            process::exit(1)
        });
        Ok(())
    }
}

#[cfg(target_os = "freebsd")]
mod imp {
    //! FreeBSD: `PROC_PDEATHSIG_CTL` (procctl(2)), set between fork and exec, so that there is no moment without it. It
    //! outlives exec, except that of a program with the rights of somebody else.

    use super::*;
    use std::os::unix::process::CommandExt;

    #[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
    pub(super) fn prepare(command: &mut Command) {
        // SAFETY: the closure makes one system call that is safe after fork and touches no memory of the parent.
        unsafe {
            command.pre_exec(|| {
                const THIS_PROCESS: libc::id_t = 0;
                let mut signal: libc::c_int = libc::SIGKILL;
                let signal = (&raw mut signal).cast();
                // The call reads one number.
                match libc::procctl(libc::P_PID, THIS_PROCESS, libc::PROC_PDEATHSIG_CTL, signal) {
                    0 => Ok(()),
                    _ => Err(io::Error::last_os_error()),
                }
            });
        }
    }

    pub(super) fn bind(_child: &Child) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn die_with_parent() -> io::Result<()> {
        Ok(())
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: a job object, which this process holds for as long as it lives.

    use super::*;
    use crate::sys::job;
    use std::os::windows::io::OwnedHandle;
    use std::sync::Mutex;

    /// The job of all children of this process.
    static JOB: Mutex<Option<OwnedHandle>> = Mutex::new(None);

    pub(super) fn prepare(_command: &mut Command) {}

    pub(super) fn bind(child: &Child) -> io::Result<()> {
        let mut all = JOB.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let all = match &mut *all {
            Some(job) => job,
            none => none.insert(job::create()?),
        };
        job::assign(all, child)
    }

    /// Between its start and [`bind`] a child notices the end of this process by the end of its standard input.
    pub(super) fn die_with_parent() -> io::Result<()> {
        Ok(())
    }
}
