//! The guard: a small process that runs a PostgreSQL program and shuts it down when standard input closes. The server
//! holds the other end of the pipe, so PostgreSQL stops however the server ends. No other way works on every Unix and
//! survives SIGKILL.

use super::account;
use crate::cli::GuardArguments;
use crate::shutdown;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};

/// The signals that stop PostgreSQL, with their timeouts: first a fast shutdown, then an immediate one.
const STOPS: [(Signal, Duration); 2] =
    [(Signal::INT, Duration::from_secs(15)), (Signal::QUIT, Duration::from_secs(10))];

pub(crate) fn run(arguments: &GuardArguments) -> Result<ExitCode> {
    let status = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?
        .block_on(guard(arguments))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn guard(arguments: &GuardArguments) -> Result<ExitStatus> {
    // Stopping a service signals all its processes, but only the server decides when PostgreSQL stops.
    let _ignored = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let mut stdin = shutdown::stdin_end()?;
    let (program, rest) = arguments.command.split_first().context("no program given")?;
    let mut command = Command::new(program);
    command.args(rest).stdin(std::process::Stdio::null());
    if let (Some(user_id), Some(group_id)) = (arguments.user_id, arguments.group_id) {
        account::run_as(&mut command, user_id, group_id);
    }
    let mut child = tokio::process::Command::from(command)
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    tokio::select! {
        status = child.wait() => status.context("cannot wait for PostgreSQL"),
        () = shutdown::ended(Some(&mut stdin)) => stop(child).await,
    }
}

async fn stop(mut child: Child) -> Result<ExitStatus> {
    for (signal, patience) in STOPS {
        if let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
            // The child was not waited for, so the id is still its own.
            let _ = kill_process(pid, signal);
        }
        if let Ok(status) = tokio::time::timeout(patience, child.wait()).await {
            return status.context("cannot wait for PostgreSQL");
        }
    }
    child.kill().await.context("cannot kill PostgreSQL")?;
    child.wait().await.context("cannot wait for PostgreSQL")
}
