//! Linux: `PR_SET_PDEATHSIG` (prctl(2)).

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
pub(super) fn die_with_parent(command: &mut Command) {
    // SAFETY: the closure makes one system call that is safe after fork and touches no memory of the parent.
    unsafe {
        command.pre_exec(|| {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
                .map_err(io::Error::from)
        });
    }
}
