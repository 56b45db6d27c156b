//! How a process ended, in words.

use std::process::ExitStatus;

/// `killed by signal 9`, `ended with exit code 3 without an answer`. A signal (wait(2)) ends processes of a Unix alone.
pub(crate) fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code} without an answer"),
        None => "ended without an answer".into(),
    }
}
