//! FreeBSD: `PROC_PDEATHSIG_CTL` (procctl(2)), set between fork and exec, so that there is no moment without it. It
//! outlives exec, except that of a program with the rights of somebody else.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

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

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn bind(_child: &Child) -> io::Result<()> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(())
}
