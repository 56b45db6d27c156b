//! Commands of a repository, run as the user of repositories, within their time and their place on the disk.

use super::heartbeat::Interrupted;
use super::job::NoReports;
use crate::cli::ConfineArguments;
use crate::failure::{Failure, OnDisk};
use crate::platform::{self, Limits};
use crate::settings::CommandLine;
use crate::{run, spool};
use roundtrip_wire::lab::last_part;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often a command that runs is looked at,
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// and what it has written.
const DISK_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Runner {
    pub(crate) confinement: Confinement,
    pub(crate) timeout: Duration,
    pub(crate) disk_bytes: u64,
}

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
    pub(crate) fn home(&self, within: &Path) -> crate::Result<TempDir> {
        let home = tempfile::tempdir_in(within).on_disk(within)?;
        if let Confinement::Confined(limits) = &self.confinement {
            platform::give(home.path(), limits.user_id, limits.group_id).on_disk(within)?;
        }
        Ok(home)
    }

    /// Lets the user of repositories write in a work tree while commands are run there, and no longer.
    pub(crate) fn lend(
        &self,
        root: &Path,
        act: impl FnOnce() -> Result<(), NoReports>,
    ) -> Result<(), NoReports> {
        let Confinement::Confined(limits) = &self.confinement else { return act() };
        let give = |user_id, group_id| platform::give(root, user_id, group_id).on_disk(root);
        give(limits.user_id, limits.group_id)?;
        let done = act();
        give(0, 0)?;
        done
    }

    /// Runs one command to its end: nothing of its user runs on.
    pub(crate) fn run(
        &self,
        task: Task<'_>,
        root: &Path,
        output: &mut Output,
        heartbeat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let Task { command, home, has_network, stdout } = task;
        let mut process = self.confinement.command(&command.0, has_network, home)?;
        process.current_dir(root);
        output.say(&format!("$ {command}"));
        let ended = self.wait(process, stdout, root, output, heartbeat);
        self.confinement.sweep();
        ended.map_err(|reason| reason.of(&format!("`{command}`")))
    }

    fn wait(
        &self,
        process: Command,
        stdout: Option<Stdio>,
        root: &Path,
        output: &mut Output,
        heartbeat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let began = Instant::now();
        let failed = |error: io::Error| NoReports::Failed(format!("does not run: {error}"));
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
            if let ControlFlow::Break(by) = heartbeat() {
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

// What a build and the programs print: the end of it is kept for whoever looks at the job.

/// The end of what was printed so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: String,
}

/// A command that runs, and what it prints. Ended when it is dropped.
pub(crate) struct Running {
    child: Child,
    printed: Receiver<Vec<u8>>,
}

impl Output {
    pub(crate) fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.cut();
    }

    /// Starts a command whose output is heard; what it prints on standard output goes to `stdout`, if that is named.
    pub(crate) fn start(&self, mut command: Command, stdout: Option<Stdio>) -> io::Result<Running> {
        let (tell, printed) = mpsc::channel();
        let (reader, writer) = io::pipe()?;
        let stdout = stdout.map_or_else(|| writer.try_clone().map(Stdio::from), Ok)?;
        command.stdin(Stdio::null()).stdout(stdout).stderr(writer);
        let child = command.spawn()?;
        // The ends that are written to are the child's alone, so that reading ends with it.
        drop(command);
        thread::spawn(move || {
            let mut reader = reader;
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if tell.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Running { child, printed })
    }

    pub(crate) fn hear(&mut self, running: &mut Running) {
        while let Ok(bytes) = running.printed.try_recv() {
            self.text.push_str(&String::from_utf8_lossy(&bytes));
        }
        self.cut();
    }

    pub(crate) fn text(&self) -> &str {
        last_part(&self.text)
    }

    fn cut(&mut self) {
        let kept = last_part(&self.text).len();
        self.text.drain(..self.text.len() - kept);
    }
}

impl Running {
    pub(crate) fn wait_for(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        const POLL: Duration = Duration::from_millis(20);
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait()? {
                // What it printed last is on its way.
                thread::sleep(POLL);
                return Ok(Some(status));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// Who runs what a repository builds and measures: another user, without the agent's secrets, with limits of memory and of what
// it writes, and without a network while it is measured.
//
// The agent starts itself as `roundtrip confine`, which gives up all rights and then becomes the program: nothing of it is left
// in what is measured.

#[derive(Clone, Debug)]
pub(crate) enum Confinement {
    Confined(Limits),
    /// As the agent itself: somebody has said that its repositories are to be trusted.
    Trusting,
}

impl Confinement {
    /// As another user of this name, or with all rights of the agent where that was asked for.
    pub(crate) fn of(
        user: Option<&str>,
        is_trusting: bool,
        memory_bytes: u64,
        file_bytes: u64,
    ) -> crate::Result<Self> {
        if is_trusting {
            return Ok(Self::Trusting);
        }
        platform::can_confine().map_err(|reason| {
            Failure::Refused(format!(
                "what repositories build cannot be kept apart from this agent: {reason}. Where all that is measured is \
                 to be trusted, say so with --trust-repositories"
            ))
        })?;
        let user = user.unwrap_or(USER);
        let (user_id, group_id) = platform::user(user).map_err(|error| {
            Failure::Refused(format!(
                "what repositories build is run as the user {user}: {error}. Make one without rights, or name another \
                 with --job-user"
            ))
        })?;
        if user_id == 0 {
            return Err(Failure::Refused(
                "--job-user is root, which has every right: expected a user without".into(),
            ));
        }
        Ok(Self::Confined(Limits { user_id, group_id, memory_bytes, file_bytes }))
    }

    /// Takes the user of repositories for this process alone, until what is returned is dropped: after a job all that this user
    /// runs is ended, and it must not be what another agent measures.
    pub(crate) fn hold(&self) -> crate::Result<Option<File>> {
        let Self::Confined(limits) = self else { return Ok(None) };
        let path = platform::lock_of_user(limits.user_id);
        let held = || {
            Failure::Refused(format!(
                "another agent runs repositories as the user with the number {}: expected one of its own, with --job-user",
                limits.user_id
            ))
        };
        spool::try_lock(&path)?.map(Some).ok_or_else(held)
    }

    pub(crate) fn words(&self, has_network: bool, home: Option<&Path>) -> crate::Result<Vec<String>> {
        let Self::Confined(limits) = self else { return Ok(Vec::new()) };
        let mut words = vec![run::program()?.to_string_lossy().into_owned(), "confine".into()];
        let mut number = |name: &str, value: u64| words.extend([name.to_owned(), value.to_string()]);
        number("--user-id", limits.user_id.into());
        number("--group-id", limits.group_id.into());
        number("--memory-bytes", limits.memory_bytes);
        number("--file-bytes", limits.file_bytes);
        if has_network {
            words.push("--network".into());
        }
        if let Some(home) = home {
            words.extend(["--home".to_owned(), home.to_string_lossy().into_owned()]);
        }
        words.push("--".into());
        Ok(words)
    }

    /// A command that is run so, with this folder for what it writes elsewhere.
    pub(crate) fn command(&self, words: &[String], has_network: bool, home: &Path) -> crate::Result<Command> {
        let all = [&self.words(has_network, Some(home))?, words].concat();
        let (program, arguments) =
            all.split_first().ok_or_else(|| Failure::Other("a command is empty".into()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(command)
    }

    pub(crate) fn sweep(&self) {
        if let Self::Confined(limits) = self {
            platform::end_all_of(limits.user_id, limits.group_id);
        }
    }
}

/// Who runs what repositories build, unless another one is named.
pub(crate) const USER: &str = "roundtrip-job";

/// What a program may know of where it runs. git is told that a work tree of another owner is meant.
fn plain_environment() -> Vec<(OsString, OsString)> {
    let kept = ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot"];
    let mut all: Vec<(OsString, OsString)> =
        kept.into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect();
    for (name, value) in
        [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*")]
    {
        all.push((name.into(), value.into()));
    }
    all
}

/// The hidden verb: gives up all rights, and becomes the program.
pub(crate) fn become_confined(arguments: &ConfineArguments) -> crate::Result<()> {
    let (program, rest) = arguments
        .command
        .split_first()
        .ok_or_else(|| Failure::Usage("no program is named after `--`".into()))?;
    let mut command = Command::new(PathBuf::from(program));
    command.args(rest).env_clear().envs(plain_environment());
    if let Some(home) = &arguments.home {
        command.env("HOME", home).env("TMPDIR", home);
    }
    let error = platform::become_confined(arguments.limits, arguments.network, command);
    Err(Failure::Other(format!("cannot run it without rights: {error}")))
}
