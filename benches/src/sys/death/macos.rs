//! macOS: a thread that waits for the end of the parent (`EVFILT_PROC` with `NOTE_EXIT`, kqueue(2)).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::parent_id;
use std::process::{Child, Command};
use std::{process, ptr, thread};

/// The first process, and the parent of all that have lost theirs (launchd(8)).
const LAUNCHD: u32 = 1;

pub(super) fn prepare(_command: &mut Command) {}

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
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
        while unsafe { libc::kevent(queue.as_raw_fd(), ptr::null(), 0, event.as_mut_ptr(), 1, ptr::null()) }
            < 1
        {}
        process::exit(1)
    });
    Ok(())
}
