//! Unix: a process group (setpgid(2)).

use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

#[derive(Debug)]
pub(super) struct Offspring(Pid);

pub(super) fn prepare(command: &mut Command) {
    // One of its own, with its own number.
    command.process_group(0);
}

impl Offspring {
    pub(super) fn of(child: &Child) -> io::Result<Self> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        pid.map(Self).ok_or_else(|| io::Error::other("a process has the number 0"))
    }

    #[expect(unsafe_code, reason = "getpgid(2)")]
    pub(super) fn holds(&self, other: u32) -> bool {
        // rustix takes for granted that a group has a number above 0: that of the first process may be 0 here.
        // SAFETY: takes a number.
        i32::try_from(other)
            .is_ok_and(|other| unsafe { libc::getpgid(other) } == self.0.as_raw_nonzero().get())
    }

    pub(super) fn end(&self) {
        // A group without processes needs no ending.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}
