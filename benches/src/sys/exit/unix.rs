//! Unix: a signal may end a process (wait(2)).

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
