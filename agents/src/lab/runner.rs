//! Runs commands of a repository as the job user, within limits of time and disk space.

use super::health::FREE_BYTES_MIN;
use super::heartbeat::Interrupted;
use super::job::{NoReports, completed};
use crate::cli::ConfineArguments;
use crate::failure::{Failure, OnDisk};
use crate::platform::{self, Limits};
use crate::settings::CommandLine;
use crate::{run, spool};
use roundtrip_wire::lab::last_part;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// The interval of checks on a running command.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// The interval of checks on its disk usage.
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
    /// A new subfolder that the job user may write to.
    pub(crate) fn home(&self, within: &Path) -> crate::Result<Home> {
        let home = Home(tempfile::tempdir_in(within).on_disk(within)?.keep());
        self.give(home.path())?;
        Ok(home)
    }

    /// Gives a new folder to the job user.
    pub(crate) fn give(&self, folder: &Path) -> crate::Result<()> {
        let Confinement::Confined { limits, .. } = &self.confinement else { return Ok(()) };
        platform::give(folder, limits.user_id, limits.group_id).on_disk(folder)
    }

    /// Fails if no command could run.
    pub(crate) fn check(&self) -> crate::Result<()> {
        let Confinement::Confined { state, .. } = &self.confinement else { return Ok(()) };
        let home = self.home(state)?;
        let mut command = self.confinement.command(&["true".into()], true, home.path(), None)?;
        let output = command.output().on_disk(state)?;
        if output.status.success() {
            return Ok(());
        }
        let reason = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Refused(format!("cannot isolate the repositories' commands: {}", reason.trim())))
    }

    /// Runs one command in a work tree that it may write to, until its end, and ends all processes of its user.
    pub(crate) fn run(
        &self,
        task: Task<'_>,
        root: &Path,
        output: &mut Output,
        heartbeat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let Task { command, home, has_network, stdout } = task;
        let mut process = self.confinement.command(&command.0, has_network, home, Some(root))?;
        process.current_dir(root);
        output.write(&format!("$ {command}"));
        let mut disk = self.disk(vec![root.to_owned(), home.to_owned()]);
        let ended = self.wait(process, stdout, &mut disk, output, heartbeat);
        self.confinement.sweep();
        let ended = ended.and_then(|()| disk.count());
        ended.map_err(|reason| reason.with_subject(&format!("`{command}`")))
    }

    /// Watches what a job has written to these folders.
    pub(crate) fn disk(&self, folders: Vec<PathBuf>) -> DiskWatch {
        DiskWatch {
            folders,
            bytes_max: self.disk_bytes,
            bytes_left: self.disk_bytes,
            looked: Instant::now(),
            free: None,
        }
    }

    fn wait(
        &self,
        process: Command,
        stdout: Option<Stdio>,
        disk: &mut DiskWatch,
        output: &mut Output,
        heartbeat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let began = Instant::now();
        let failed = |error: io::Error| NoReports::Failed(format!("cannot run: {error}"));
        let mut running = Running::start(process, stdout).map_err(failed)?;
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
            disk.check()?;
            completed(heartbeat())?;
        }
    }
}

/// A folder of the job user, deleted when dropped.
#[derive(Debug)]
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // If this fails, it is deleted with its parent folder or at the next start.
        let _ = platform::remove_tree(&self.0);
    }
}

/// Limits what a job writes to its folders.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    folders: Vec<PathBuf>,
    bytes_max: u64,
    /// Bytes until the limit when it last counted.
    bytes_left: u64,
    looked: Instant,
    /// Free bytes of the disk when it last counted.
    free: Option<u64>,
}

impl DiskWatch {
    /// Counts now and then, and when the disk has lost the bytes that were left.
    pub(crate) fn check(&mut self) -> Result<(), NoReports> {
        let free = self.folders.first().and_then(|folder| fs4::available_space(folder).ok());
        if let Some(bytes) = free.filter(|&free| free < FREE_BYTES_MIN) {
            return Err(NoReports::Failed(format!(
                "stopped: the disk has {} MiB left, the limit is {} MiB",
                bytes >> 20,
                FREE_BYTES_MIN >> 20
            )));
        }
        let before = *self.free.get_or_insert(free.unwrap_or_default());
        let lost = before.saturating_sub(free.unwrap_or_default());
        if self.looked.elapsed() < DISK_INTERVAL && lost <= self.bytes_left {
            return Ok(());
        }
        self.free = free;
        self.count()
    }

    fn count(&mut self) -> Result<(), NoReports> {
        let mut bytes = 0;
        for folder in &self.folders {
            let counted = platform::bytes_in(folder, self.bytes_max.saturating_sub(bytes));
            bytes +=
                counted.map_err(|error| NoReports::Failed(format!("cannot count its files: {error}")))?;
        }
        self.looked = Instant::now();
        self.bytes_left = self.bytes_max.saturating_sub(bytes);
        if bytes <= self.bytes_max {
            return Ok(());
        }
        let (written, most) = (bytes >> 20, self.bytes_max >> 20);
        Err(NoReports::Failed(format!(
            "stopped: its files take at least {written} MiB, the limit is {most} MiB"
        )))
    }
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
    Confined {
        limits: Limits,
        /// The state folder of the agent.
        state: PathBuf,
    },
    /// As the agent's own user: its repositories are trusted.
    Trusting,
}

impl Confinement {
    /// As another user with this name, or with the agent's own permissions if requested.
    pub(crate) fn new(
        state: &Path,
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
        let limits = Limits { user_id, group_id, memory_bytes, file_bytes, processes: PROCESSES_MAX };
        Ok(Self::Confined { limits, state: state.to_owned() })
    }

    /// Locks the job user for this agent until the returned value is dropped. After a job, all processes of
    /// this user are killed, so two agents must not share it.
    pub(crate) fn lock_user(&self) -> crate::Result<Option<LockedUser>> {
        let Self::Confined { limits, .. } = self else { return Ok(None) };
        let path = platform::lock_of_user(limits.user_id);
        let held = || {
            Failure::Refused(format!(
                "another agent uses the job user with ID {}. Give this agent its own with --job-user.",
                limits.user_id
            ))
        };
        let lock = spool::try_lock(&path)?.ok_or_else(held)?;
        Ok(Some(LockedUser { user_id: limits.user_id, _lock: lock }))
    }

    /// The words before a command that may write to this home, and to a work tree.
    pub(crate) fn words(
        &self,
        has_network: bool,
        home: &Path,
        work_tree: Option<&Path>,
    ) -> crate::Result<Vec<String>> {
        let Self::Confined { limits, state } = self else { return Ok(Vec::new()) };
        let mut words = vec![run::program()?.to_string_lossy().into_owned(), "confine".into()];
        let mut number = |name: &str, value: u64| words.extend([name.to_owned(), value.to_string()]);
        number("--user-id", limits.user_id.into());
        number("--group-id", limits.group_id.into());
        number("--memory-bytes", limits.memory_bytes);
        number("--file-bytes", limits.file_bytes);
        number("--processes", limits.processes);
        if has_network {
            words.push("--network".into());
        }
        let mut folder =
            |name: &str, path: &Path| words.extend([name.to_owned(), path.to_string_lossy().into_owned()]);
        folder("--state", state);
        folder("--home", home);
        if let Some(work_tree) = work_tree {
            folder("--work-tree", work_tree);
        }
        words.push("--".into());
        Ok(words)
    }

    /// A command after [`Self::words()`].
    fn command(
        &self,
        words: &[String],
        has_network: bool,
        home: &Path,
        work_tree: Option<&Path>,
    ) -> crate::Result<Command> {
        let all = [&self.words(has_network, home, work_tree)?, words].concat();
        let (program, arguments) =
            all.split_first().ok_or_else(|| Failure::Other("empty command in the definition".into()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(command)
    }

    pub(crate) fn sweep(&self) {
        if let Self::Confined { limits, .. } = self {
            platform::end_all_of(limits.user_id, limits.group_id);
        }
    }
}

/// A job user that no other agent uses.
#[derive(Debug)]
pub(crate) struct LockedUser {
    user_id: u32,
    _lock: File,
}

impl Drop for LockedUser {
    fn drop(&mut self) {
        platform::release_user(self.user_id);
    }
}

/// The most processes and threads of a job: enough for a build with a thousand jobs.
const PROCESSES_MAX: u64 = 4096;

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
    command.env("HOME", &arguments.folders.home).env("TMPDIR", &arguments.folders.home);
    let error = platform::become_confined(arguments.limits, &arguments.folders, arguments.network, command);
    Err(Failure::Other(format!("cannot run it without privileges: {error}")))
}
