//! How a process ended, in words.

use std::process::ExitStatus;

/// `killed by signal 9`, `ended with exit code 3 without an answer`.
pub fn describe(status: ExitStatus) -> String {
    match (imp::signal(status), status.code()) {
        (Some(signal), _) => format!("killed by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code} without an answer"),
        (None, None) => "ended without an answer".into(),
    }
}

#[cfg(unix)]
mod imp {
    //! Unix: a signal may end a process (wait(2)).

    use super::*;
    use std::os::unix::process::ExitStatusExt;

    pub(super) fn signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }
}

#[cfg(not(unix))]
mod imp {
    //! Elsewhere a process that is ended by another one has an exit code as any.

    use super::*;
    pub(super) fn signal(_status: ExitStatus) -> Option<i32> {
        None
    }
}
