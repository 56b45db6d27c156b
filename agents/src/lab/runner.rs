//! Runs commands of a repository as the job user, within limits of time and disk space.

use super::heartbeat::Interrupted;
use super::job::{NoReports, completed};
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
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often a running command is checked,
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// and its disk usage.
const DISK_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Runner {
    pub(crate) confinement: Confinement,
    pub(crate) timeout: Duration,
    pub(crate) disk_bytes: u64,
}

pub(crate) struct Task<'a> {
    pub(crate) command: &'a CommandLine,
    /// Its home folder, for other files.
    pub(crate) home: &'a Path,
    pub(crate) has_network: bool,
    /// The destination of its standard output; by default, the output of the job.
    pub(crate) stdout: Option<Stdio>,
}

impl Runner {
    /// A new subfolder that the job user may write to, deleted when dropped.
    pub(crate) fn home(&self, within: &Path) -> crate::Result<TempDir> {
        let home = tempfile::tempdir_in(within).on_disk(within)?;
        if let Confinement::Confined(limits) = &self.confinement {
            platform::give(home.path(), limits.user_id, limits.group_id).on_disk(within)?;
        }
        Ok(home)
    }

    /// Lets the job user write to a work tree while commands run there.
    pub(crate) fn with_write_access(
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

    /// Runs one command to its end, and ends all processes of its user.
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
        output.write(&format!("$ {command}"));
        let ended = self.wait(process, stdout, root, output, heartbeat);
        self.confinement.sweep();
        ended.map_err(|reason| reason.with_subject(&format!("`{command}`")))
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
        let failed = |error: io::Error| NoReports::Failed(format!("cannot run: {error}"));
        let mut running = Running::start(process, stdout).map_err(failed)?;
        let mut looked = Instant::now();
        loop {
            let status = running.child.try_wait().map_err(failed)?;
            // Also after its end, to read the rest of its output.
            thread::sleep(LOOK_INTERVAL);
            output.receive(&running);
            match status {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(NoReports::Failed(format!("failed: {status}"))),
                None => {}
            }
            if began.elapsed() > self.timeout {
                let seconds = self.timeout.as_secs();
                return Err(NoReports::Failed(format!("timed out after {seconds} s")));
            }
            if looked.elapsed() > DISK_INTERVAL {
                let bytes = bytes_in(root);
                if bytes > self.disk_bytes {
                    let (written, most) = (bytes >> 20, self.disk_bytes >> 20);
                    return Err(NoReports::Failed(format!(
                        "stopped: its work tree has {written} MiB, the limit is {most} MiB"
                    )));
                }
                looked = Instant::now();
            }
            completed(heartbeat())?;
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

// The output of builds and programs; its end is stored with the job.

/// The end of the output so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: String,
}

/// A running command and its output. Killed when dropped.
struct Running {
    child: Child,
    printed: Receiver<Vec<u8>>,
}

impl Output {
    pub(crate) fn write(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.cut();
    }

    fn receive(&mut self, running: &Running) {
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
    /// Starts a command and reads its output; standard output goes to `stdout`, if given.
    fn start(mut command: Command, stdout: Option<Stdio>) -> io::Result<Self> {
        let (sender, printed) = mpsc::channel();
        let (reader, writer) = io::pipe()?;
        let stdout = stdout.map_or_else(|| writer.try_clone().map(Stdio::from), Ok)?;
        command.stdin(Stdio::null()).stdout(stdout).stderr(writer);
        let child = command.spawn()?;
        // Only the child holds the write ends now, so reading ends with it.
        drop(command);
        thread::spawn(move || {
            let mut reader = reader;
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, printed })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// Runs the repositories' commands as another user, without the agent's secrets, with limits on memory and
// disk, and without network during measurements.
// The agent starts itself as `roundtrip confine`, which drops all privileges and executes the program, so no
// extra process remains.

#[derive(Clone, Debug)]
pub(crate) enum Confinement {
    Confined(Limits),
    /// As the agent's own user: its repositories are trusted.
    Trusting,
}

impl Confinement {
    /// As another user with this name, or with the agent's own permissions if requested.
    pub(crate) fn new(
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
                "cannot isolate the repositories' commands: {reason}. If you trust all measured \
                 repositories, pass --trust-repositories."
            ))
        })?;
        let user = user.unwrap_or(USER);
        let (user_id, group_id) = platform::user(user).map_err(|error| {
            Failure::Refused(format!(
                "cannot use {user} to run the repositories' commands: {error}. Create an unprivileged user, \
                 or name another with --job-user."
            ))
        })?;
        if user_id == 0 {
            return Err(Failure::Refused("--job-user is root: expected an unprivileged user".into()));
        }
        Ok(Self::Confined(Limits { user_id, group_id, memory_bytes, file_bytes }))
    }

    /// Locks the job user for this agent until the returned file is dropped. After a job, all processes of
    /// this user are killed, so two agents must not share it.
    pub(crate) fn lock_user(&self) -> crate::Result<Option<File>> {
        let Self::Confined(limits) = self else { return Ok(None) };
        let path = platform::lock_of_user(limits.user_id);
        let held = || {
            Failure::Refused(format!(
                "another agent uses the job user with ID {}. Give this agent its own with --job-user.",
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

    /// A command run in this way, with this home folder.
    pub(crate) fn command(&self, words: &[String], has_network: bool, home: &Path) -> crate::Result<Command> {
        let all = [&self.words(has_network, Some(home))?, words].concat();
        let (program, arguments) =
            all.split_first().ok_or_else(|| Failure::Other("empty command in the definition".into()))?;
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

/// The default user that runs the repositories' programs.
pub(crate) const USER: &str = "roundtrip-job";

/// The environment of a program. It allows git to use a work tree of another owner.
fn plain_environment() -> Vec<(&'static str, OsString)> {
    let kept = ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot"];
    let kept = kept.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let of_git =
        [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*")];
    kept.chain(of_git.map(|(name, value)| (name, value.into()))).collect()
}

/// The hidden command: drops all privileges, and executes the program.
pub(crate) fn become_confined(arguments: &ConfineArguments) -> crate::Result<()> {
    let (program, rest) =
        arguments.command.split_first().ok_or_else(|| Failure::Usage("no program after `--`".into()))?;
    let mut command = Command::new(PathBuf::from(program));
    command.args(rest).env_clear().envs(plain_environment());
    if let Some(home) = &arguments.home {
        command.env("HOME", home).env("TMPDIR", home);
    }
    let error = platform::become_confined(arguments.limits, arguments.network, command);
    Err(Failure::Other(format!("cannot run it without privileges: {error}")))
}
