//! Runs commands of a repository's settings: those that build its programs, and its other benchmarks.

use crate::failure::Failure;
use crate::settings::CommandLine;
use crate::stop::StopSignal;
use roundtrip_bench::sys::process_group::{self, ProcessGroup};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The interval of checks on a command with limits.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Limits of a command. Beyond them, it is killed with all its processes.
pub(crate) struct Limits<'a> {
    pub(crate) timeout: Duration,
    pub(crate) stop: &'a mut StopSignal,
}

impl Limits<'_> {
    /// The failure of a command.
    pub(crate) fn failure(&mut self, reason: String) -> Failure {
        if self.stop.check().is_break() { Failure::Stopped(reason) } else { Failure::Other(reason) }
    }
}

/// Builds the programs of a repository in this folder. Output of the commands goes to standard error;
/// standard output is for results. The error begins with the command.
pub(crate) fn build<'a>(
    commands: impl IntoIterator<Item = &'a CommandLine>,
    folder: &Path,
    limits: &mut Limits<'_>,
) -> Result<(), String> {
    commands.into_iter().try_for_each(|command| {
        let status = run(command, "Building", folder, std::io::stderr().into(), limits)?;
        if status.success() { Ok(()) } else { Err(format!("`{command}` failed: {status}")) }
    })
}

/// [`build()`] in the work tree of the user.
pub(crate) fn build_here(
    commands: &[CommandLine],
    root: &Path,
    limits: &mut Limits<'_>,
) -> crate::Result<()> {
    build(commands, root, limits)
        .map_err(|reason| limits.failure(format!("build failed in {}: {reason}", root.display())))
}

/// Runs a command in this folder. Prints the command line and its errors to standard error.
pub(crate) fn run(
    command: &CommandLine,
    doing: &str,
    folder: &Path,
    stdout: Stdio,
    limits: &mut Limits<'_>,
) -> Result<ExitStatus, String> {
    let CommandLine(words) = command;
    let (program, arguments) = words.split_first().ok_or("empty command in roundtrip.toml")?;
    eprintln!("{doing}: {command}");
    let mut process = Command::new(program);
    process.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::inherit());
    let failed = |error| format!("cannot start `{command}`: {error}");
    process_group::prepare_without_terminal(&mut process);
    let began = Instant::now();
    let mut child = process.spawn().map_err(failed)?;
    let group = ProcessGroup::new(&child).map_err(failed)?;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        let reason = if limits.stop.wait_until(Instant::now() + LOOK_INTERVAL).is_break() {
            "was stopped".to_owned()
        } else if began.elapsed() > limits.timeout {
            format!("timed out after {} s (--command-timeout)", limits.timeout.as_secs())
        } else {
            continue;
        };
        group.end();
        child.wait().map_err(failed)?;
        return Err(format!("`{command}` {reason}"));
    }
}
