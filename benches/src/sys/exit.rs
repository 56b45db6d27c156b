//! Describes how a process ended.

use std::process::ExitStatus;

/// `killed by signal 9`, `exited with code 3 without a response`. Signals (wait(2)) exist only on Unix.
pub(crate) fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exited with code {code} without a response"),
        None => "exited without a response".into(),
    }
}
