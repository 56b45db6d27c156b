//! Linux: `PR_SET_PDEATHSIG` (prctl(2)), set between fork and exec, so that there is no moment without it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

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

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn bind(_child: &Child) -> io::Result<()> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(())
}
