//! FreeBSD: `PROC_PDEATHSIG_CTL` (procctl(2)), which a process sets for itself.

use std::io;
use std::process::{Child, Command};

pub(super) fn prepare(_command: &mut Command) {}

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn bind(_child: &Child) -> io::Result<()> {
    Ok(())
}

#[expect(unsafe_code, reason = "procctl")]
pub(super) fn die_with_parent() -> io::Result<()> {
    const THIS_PROCESS: libc::id_t = 0;
    let mut signal: libc::c_int = libc::SIGKILL;
    // SAFETY: the call reads one number. A parent that has ended already is noticed by the end of standard input.
    let done = unsafe {
        libc::procctl(libc::P_PID, THIS_PROCESS, libc::PROC_PDEATHSIG_CTL, (&raw mut signal).cast())
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
