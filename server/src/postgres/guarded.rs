//! The server's handle of a guard. The guard's program runs until this value is dropped, unless it ends by itself.

use super::account::{self, Account};
use super::lock::TreeLock;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use tokio::sync::watch;

/// Exit code 1, as the operating system encodes a wait status.
const EXITED_WITH_1: i32 = 1 << 8;

/// A PostgreSQL program under a guard. Dropping it stops the program and waits for its end.
#[derive(Debug)]
pub(crate) struct Guarded {
    lifeline: Option<ChildStdin>,
    ended: watch::Receiver<Option<ExitStatus>>,
    waiting: Option<JoinHandle<()>>,
}

impl Guarded {
    /// Starts a guard that runs `command` as `account`. Both inherit `lock`.
    pub(crate) fn spawn(
        account: &Account,
        command: &[OsString],
        lock: &TreeLock,
        output: Stdio,
        errors: Stdio,
    ) -> Result<Self> {
        let this_program = this_program()?;
        let mut guard = Command::new(&this_program);
        guard.arg0(env!("CARGO_PKG_NAME"));
        account::prepare(&mut guard);
        guard.arg("postgres-guard");
        if let Some((user_id, group_id)) = account.ids() {
            guard.args(["--user-id", &user_id.to_string(), "--group-id", &group_id.to_string()]);
        }
        guard.arg("--").args(command);
        // Ctrl-C in a terminal reaches the whole process group. Only the server decides when PostgreSQL stops.
        guard.process_group(0);
        guard.stdin(Stdio::piped()).stdout(output).stderr(errors);
        lock.inherit()?;
        let mut child = guard
            .spawn()
            .with_context(|| format!("cannot start {} as the guard of PostgreSQL", this_program.display()))?;
        let lifeline = child.stdin.take();
        let (sender, ended) = watch::channel(None);
        let waiting = std::thread::Builder::new()
            .name("postgres-guard".to_owned())
            .spawn(move || {
                // This fails only for a process that was already waited for.
                if let Ok(status) = child.wait() {
                    sender.send_replace(Some(status));
                }
            })
            .context("cannot start a thread that waits for PostgreSQL")?;
        Ok(Self { lifeline, ended, waiting: Some(waiting) })
    }

    /// The exit status, if the program has ended.
    pub(crate) fn status(&self) -> Option<ExitStatus> {
        *self.ended.borrow()
    }

    /// Waits until the program ends by itself.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let ended = self.ended.wait_for(Option::is_some).await;
        // An unknown exit status counts as a failure.
        ended.ok().and_then(|status| *status).unwrap_or_else(|| ExitStatus::from_raw(EXITED_WITH_1))
    }

    /// Stops the program and waits for its end. The guard limits the duration.
    pub(crate) fn stop(&mut self) {
        drop(self.lifeline.take());
        if let Some(waiting) = self.waiting.take() {
            // The thread cannot panic, and the process has ended anyway.
            let _ = waiting.join();
        }
    }
}

/// The path of this program, even if its file was replaced since the start: on Linux the first path still works.
fn this_program() -> Result<PathBuf> {
    let kept = PathBuf::from("/proc/self/exe");
    if kept.exists() {
        return Ok(kept);
    }
    std::env::current_exe().context("cannot find the path of this program")
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.stop();
    }
}
