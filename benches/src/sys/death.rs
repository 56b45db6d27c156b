//! Children that die with the parent, so that a crash leaves no process behind: [`prepare`] the command, [`bind`] the
//! child, which itself calls [`die_with_parent`]. Systems differ in which of the three does it.

use std::io;
use std::process::{Child, Command};

/// Arranges that the child is killed when the thread that spawns it ends, however it ends. Spawn from a thread that
/// lives as long as the child is needed.
pub fn prepare(command: &mut Command) {
    let _ = &command;
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    imp::prepare(command);
}

/// Ties a child that has just been started to this process.
pub fn bind(child: &Child) -> io::Result<()> {
    let _ = child;
    #[cfg(windows)]
    imp::bind(child)?;
    Ok(())
}

/// In the child: ends this process when its parent ends.
pub fn die_with_parent() -> io::Result<()> {
    #[cfg(target_os = "macos")]
    imp::die_with_parent()?;
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod imp {
    //! A signal to the child, requested between fork and exec, so that there is no gap. Linux: `PR_SET_PDEATHSIG`
    //! (prctl(2)). FreeBSD: `PROC_PDEATHSIG_CTL` (procctl(2)), which survives exec, except for a program with another
    //! user's rights.

    use super::*;
    use std::os::unix::process::CommandExt;

    #[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
    pub(super) fn prepare(command: &mut Command) {
        // SAFETY: one system call that is safe after fork and touches no memory of the parent.
        unsafe { command.pre_exec(ask) };
    }

    #[cfg(target_os = "linux")]
    fn ask() -> io::Result<()> {
        use rustix::process::{Signal, set_parent_process_death_signal};
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    }

    #[cfg(target_os = "freebsd")]
    #[expect(unsafe_code, reason = "procctl(2)")]
    fn ask() -> io::Result<()> {
        const THIS_PROCESS: libc::id_t = 0;
        let mut signal: libc::c_int = libc::SIGKILL;
        let signal = (&raw mut signal).cast();
        // SAFETY: the call reads one number.
        match unsafe { libc::procctl(libc::P_PID, THIS_PROCESS, libc::PROC_PDEATHSIG_CTL, signal) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(target_os = "macos")]
mod imp {
    //! macOS: a thread that waits for the end of the parent (`EVFILT_PROC` with `NOTE_EXIT`, kqueue(2)).

    use super::*;
    use crate::sys::handle::owned;
    use std::mem::MaybeUninit;
    use std::os::fd::AsRawFd;
    use std::os::unix::process::parent_id;
    use std::{process, ptr, thread};

    /// The first process, and the new parent of all orphans (launchd(8)).
    const LAUNCHD: u32 = 1;

    #[expect(unsafe_code, reason = "kqueue and kevent")]
    pub(super) fn die_with_parent() -> io::Result<()> {
        // SAFETY: takes no argument.
        let queue = owned(unsafe { libc::kqueue() })?;
        let parent = parent_id();
        let change = libc::kevent {
            ident: parent as usize,
            filter: libc::EVFILT_PROC,
            flags: libc::EV_ADD | libc::EV_ONESHOT,
            fflags: libc::NOTE_EXIT,
            data: 0,
            udata: ptr::null_mut(),
        };
        // SAFETY: one change to register, and no space for an event.
        let registered =
            unsafe { libc::kevent(queue.as_raw_fd(), &raw const change, 1, ptr::null_mut(), 0, ptr::null()) };
        if registered < 0 {
            // It has ended already.
            return Err(io::Error::last_os_error());
        }
        // An orphan gets another parent, launchd (1), and would wait for that one to end.
        if parent == LAUNCHD || parent_id() != parent {
            return Err(io::Error::other("the parent exited"));
        }
        thread::spawn(move || {
            let mut event = MaybeUninit::<libc::kevent>::uninit();
            // SAFETY: no changes, and space for one event. Without a time it waits forever.
            while unsafe {
                libc::kevent(queue.as_raw_fd(), ptr::null(), 0, event.as_mut_ptr(), 1, ptr::null())
            } < 1
            {}
            process::exit(1)
        });
        Ok(())
    }
}

#[cfg(windows)]
mod imp {
    //! A job object, which this process holds for as long as it lives. Before [`bind`], a child detects the end of this
    //! process by the end of its standard input.

    use super::*;
    use crate::sys::job;
    use std::os::windows::io::OwnedHandle;
    use std::sync::Mutex;

    /// The job for all children of this process.
    static JOB: Mutex<Option<OwnedHandle>> = Mutex::new(None);

    pub(super) fn bind(child: &Child) -> io::Result<()> {
        let mut all = JOB.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let all = match &mut *all {
            Some(job) => job,
            none => none.insert(job::create()?),
        };
        job::assign(all, child)
    }
}
