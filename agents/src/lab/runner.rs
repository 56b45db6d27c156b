//! Commands of a repository, run as the user of repositories, within their time and their place on the disk.

use super::confine::Confinement;
use super::heartbeat::Interrupted;
use super::job::NoReports;
use super::output::Output;
use crate::failure::Failure;
use crate::platform;
use crate::settings::CommandLine;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often a command that runs is looked at,
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// and what it has written.
const DISK_INTERVAL: Duration = Duration::from_secs(5);

/// Who runs commands, and what they may take.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    pub(crate) confinement: Confinement,
    /// How long one command may take.
    pub(crate) timeout: Duration,
    /// How much a work tree may hold, in bytes.
    pub(crate) disk_bytes: u64,
}

/// One command and what it has besides its work tree.
pub(crate) struct Task<'a> {
    pub(crate) command: &'a CommandLine,
    /// For what it writes elsewhere.
    pub(crate) home: &'a Path,
    pub(crate) has_network: bool,
    /// Where its standard output goes, if not to the output of the job.
    pub(crate) stdout: Option<Stdio>,
}

impl Runner {
    /// A new folder in this one, in which the user of repositories may write; it goes when it is dropped.
    ///
    /// # Errors
    /// Of the disk.
    pub(crate) fn home(&self, within: &Path) -> crate::Result<TempDir> {
        let disk = |source| Failure::Disk { path: within.to_owned(), source };
        let home = tempfile::tempdir_in(within).map_err(disk)?;
        if let Confinement::Confined(limits) = &self.confinement {
            platform::give(home.path(), limits.user_id, limits.group_id).map_err(disk)?;
        }
        Ok(home)
    }

    /// Lets the user of repositories write in a work tree while commands are run there, and no longer.
    ///
    /// # Errors
    /// Of the disk, or of what is done.
    pub(crate) fn lend(
        &self,
        root: &Path,
        act: impl FnOnce() -> Result<(), NoReports>,
    ) -> Result<(), NoReports> {
        let Confinement::Confined(limits) = &self.confinement else { return act() };
        let give = |user_id, group_id| {
            platform::give(root, user_id, group_id)
                .map_err(|source| Failure::Disk { path: root.to_owned(), source })
        };
        give(limits.user_id, limits.group_id)?;
        let done = act();
        give(0, 0)?;
        done
    }

    /// Runs one command to its end: nothing of its user runs on.
    ///
    /// # Errors
    /// It fails, or takes more than it may; or what `beat` says.
    pub(crate) fn run(
        &self,
        task: Task<'_>,
        root: &Path,
        output: &mut Output,
        beat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let Task { command, home, has_network, stdout } = task;
        let mut process = self.confinement.command(&command.0, has_network, home)?;
        process.current_dir(root);
        output.say(&format!("$ {command}"));
        let ended = self.wait(process, stdout, root, output, beat);
        self.confinement.sweep();
        ended.map_err(|reason| reason.of(&format!("`{command}`")))
    }

    fn wait(
        &self,
        process: std::process::Command,
        stdout: Option<Stdio>,
        root: &Path,
        output: &mut Output,
        beat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let began = Instant::now();
        let failed = |error: std::io::Error| NoReports::Failed(format!("does not run: {error}"));
        let mut child = output.start(process, stdout).map_err(failed)?;
        let mut looked = Instant::now();
        loop {
            if let Some(status) = child.wait_for(LOOK_INTERVAL).map_err(failed)? {
                output.hear(&mut child);
                return if status.success() {
                    Ok(())
                } else {
                    Err(NoReports::Failed(format!("ended with {status}")))
                };
            }
            output.hear(&mut child);
            if began.elapsed() > self.timeout {
                let seconds = self.timeout.as_secs();
                return Err(NoReports::Failed(format!("took longer than {seconds} s, and was ended")));
            }
            if looked.elapsed() > DISK_INTERVAL {
                let bytes = bytes_in(root);
                if bytes > self.disk_bytes {
                    let (written, most) = (bytes >> 20, self.disk_bytes >> 20);
                    return Err(NoReports::Failed(format!(
                        "wrote {written} MiB, of {most} that it may, and was ended"
                    )));
                }
                looked = Instant::now();
            }
            if let ControlFlow::Break(by) = beat() {
                return Err(NoReports::Interrupted(by));
            }
        }
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => bytes_in(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}
