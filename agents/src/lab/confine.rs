//! Who runs what a repository builds and measures: another user, without the agent's secrets, with limits of memory and of what
//! it writes, and without a network while it is measured.
//!
//! The agent starts itself as `roundtrip confine`, which gives up all rights and then becomes the program: nothing of it is left
//! in what is measured.

use crate::cli::ConfineArguments;
use crate::failure::Failure;
use crate::platform::{self, Limits};
use crate::run;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How programs of repositories are run.
#[derive(Clone, Debug)]
pub(crate) enum Confinement {
    /// As another user.
    Confined(Limits),
    /// As the agent itself: somebody has said that its repositories are to be trusted.
    Trusting,
}

impl Confinement {
    /// As another user of this name, or with all rights of the agent where that was asked for.
    ///
    /// # Errors
    /// This system or this user cannot do that, or there is no such user.
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
    ///
    /// # Errors
    /// Another agent has it, or the system refuses it.
    pub(crate) fn hold(&self) -> crate::Result<Option<File>> {
        let Self::Confined(limits) = self else { return Ok(None) };
        let path = platform::lock_of_user(limits.user_id);
        let disk = |source| Failure::Disk { path: path.clone(), source };
        let lock = File::options().append(true).create(true).open(&path).map_err(disk)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(Failure::Refused(format!(
                "another agent runs repositories as the user with the number {}: expected one of its own, with --job-user",
                limits.user_id
            ))),
            Err(TryLockError::Error(source)) => Err(disk(source)),
        }
    }

    /// The words in front of a command, so that it is run so.
    ///
    /// # Errors
    /// The system does not say where this program is.
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
    ///
    /// # Errors
    /// As [`Self::words()`]; an empty command.
    pub(crate) fn command(&self, words: &[String], has_network: bool, home: &Path) -> crate::Result<Command> {
        let all = [&self.words(has_network, Some(home))?, words].concat();
        let (program, arguments) =
            all.split_first().ok_or_else(|| Failure::Other("a command is empty".into()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(command)
    }

    /// Ends whatever the user of repositories still runs.
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
///
/// # Errors
/// What the system refuses. Otherwise it does not return.
pub(crate) fn become_confined(arguments: &ConfineArguments) -> crate::Result<()> {
    let limits = Limits {
        user_id: arguments.user_id,
        group_id: arguments.group_id,
        memory_bytes: arguments.memory_bytes,
        file_bytes: arguments.file_bytes,
    };
    let (program, rest) = arguments
        .command
        .split_first()
        .ok_or_else(|| Failure::Usage("no program is named after `--`".into()))?;
    let mut command = Command::new(PathBuf::from(program));
    command.args(rest).env_clear().envs(plain_environment());
    if let Some(home) = &arguments.home {
        command.env("HOME", home).env("TMPDIR", home);
    }
    let error = platform::become_confined(limits, arguments.network, command);
    Err(Failure::Other(format!("cannot run it without rights: {error}")))
}
