//! Linux: notifies systemd when the agent has started (`sd_notify(3)`). Confined programs have a separate
//! network namespace with only the loopback.

use super::{Limits, System};
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{UnshareFlags, set_no_new_privs};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub(crate) use super::unix::*;

pub(crate) const SYSTEM: System = System::Linux;

pub(crate) fn ready() {
    // Without a listening service manager, the agent works the same.
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
}

pub(crate) fn can_record() -> Result<(), String> {
    Ok(())
}

pub(crate) fn become_confined(limits: Limits, has_network: bool, mut command: Command) -> io::Error {
    if !has_network && let Err(error) = leave_network() {
        return error;
    }
    become_user_and_die_with_parent(&mut command);
    become_user(limits, command)
}

/// `IFF_UP` of netdevice(7), in the type of the structure.
const UP: libc::c_short = 1;

/// Moves to a network namespace with only the loopback, and brings it up: programs talk over it among
/// themselves.
fn leave_network() -> io::Result<()> {
    // SAFETY: this flag changes nothing that memory safety depends on.
    #[expect(unsafe_code, reason = "some flags of unshare(2) would take file descriptors away")]
    unsafe {
        rustix::thread::unshare_unsafe(UnshareFlags::NEWNET)?;
    }
    let socket = UnixDatagram::unbound()?;
    let mut request: libc::ifreq = name_of_loopback();
    // SAFETY: netdevice(7): SIOCSIFFLAGS reads the name and the flags of one `ifreq`.
    #[expect(unsafe_code, reason = "an ioctl(2)")]
    let result = unsafe {
        request.ifr_ifru.ifru_flags = UP;
        // A signed number in musl.
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as libc::Ioctl, &raw const request)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn name_of_loopback() -> libc::ifreq {
    // SAFETY: all of its members are numbers, for which zero is a value.
    #[expect(unsafe_code, reason = "a structure of the system")]
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = from.cast_signed() as libc::c_char;
    }
    request
}

/// A change of the user resets the parent-death signal (prctl(2)), so it is set again afterwards. No program
/// can regain privileges after this.
#[expect(unsafe_code, reason = "pre_exec runs between the change of the user and exec")]
fn become_user_and_die_with_parent(command: &mut Command) {
    // SAFETY: the closure makes two system calls and touches no memory.
    unsafe {
        command.pre_exec(|| {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(set_no_new_privs(true)?)
        });
    }
}
