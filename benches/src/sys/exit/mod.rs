//! How a process ended, in words.

use std::process::ExitStatus;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "other.rs")]
mod imp;

/// `killed by signal 9`, `ended with exit code 3 without an answer`.
pub fn describe(status: ExitStatus) -> String {
    match (imp::signal(status), status.code()) {
        (Some(signal), _) => format!("killed by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code} without an answer"),
        (None, None) => "ended without an answer".into(),
    }
}
