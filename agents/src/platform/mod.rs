//! Everything specific to an operating system: one file per system. This file lists what each must provide;
//! `unix` has the code shared by three.

use crate::stop::StopSignal;
use clap::{Args, ValueEnum};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

#[cfg_attr(target_os = "freebsd", path = "other_unix.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "other_unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod unix;
#[cfg_attr(target_os = "linux", path = "watched_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "watched_other.rs")]
mod watched;

/// The name of the service on Windows.
pub(crate) const SERVICE_NAME: &str = "roundtrip-agent";

/// A system with a supported service manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum System {
    /// rc.d.
    Freebsd,
    /// systemd.
    Linux,
    /// launchd.
    Macos,
    /// Service control manager.
    Windows,
}

impl System {
    /// The default state folder of an agent that runs as a service. It is kept when the service is removed.
    /// It is outside root's home, because the job user's work trees are in it.
    pub(crate) fn lab_state(self) -> PathBuf {
        match self {
            Self::Freebsd => "/var/db/roundtrip_lab".into(),
            Self::Linux => "/var/lib/roundtrip-lab".into(),
            Self::Macos => "/Library/Application Support/roundtrip-lab".into(),
            Self::Windows => program_data("roundtrip-lab"),
        }
    }
}

/// A folder in `%ProgramData%`, for data that belongs to no user.
pub(crate) fn program_data(name: &str) -> PathBuf {
    let folder = std::env::var("ProgramData").unwrap_or_else(|_| r"C:\ProgramData".into());
    format!(r"{folder}\{name}").into()
}

/// A request to the service control manager.
#[derive(Clone, Debug)]
pub(crate) enum ServiceRequest {
    /// Create a service with these settings.
    Create(String),
    /// Start it and wait until it runs.
    Start,
    /// Stop and delete it.
    Delete,
}

impl fmt::Display for ServiceRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(settings) => {
                write!(formatter, "# create this service:\n{settings}")
            }
            Self::Start => writeln!(formatter, "# start the service {SERVICE_NAME}"),
            Self::Delete => {
                writeln!(formatter, "# stop and delete the service {SERVICE_NAME}")
            }
        }
    }
}

/// The identity and limits of a repository's command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Limits {
    /// User ID.
    #[arg(long)]
    pub(crate) user_id: u32,
    /// Group ID, its only group.
    #[arg(long)]
    pub(crate) group_id: u32,
    /// Memory limit of a process, and of all together, in bytes.
    #[arg(long)]
    pub(crate) memory_bytes: u64,
    /// Size limit of a file that it writes, in bytes.
    #[arg(long)]
    pub(crate) file_bytes: u64,
    /// Limit of the user's processes.
    #[arg(long)]
    pub(crate) processes: u64,
}

/// The folders of a repository's command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Folders {
    /// State folder of the agent. It stays visible, even in a temporary folder.
    #[arg(long)]
    pub(crate) state: PathBuf,
    /// Home, which it may write to.
    #[arg(long)]
    pub(crate) home: PathBuf,
    /// Work tree that it may write to.
    #[arg(long)]
    pub(crate) work_tree: Option<PathBuf>,
}

/// The agent's work, until it ends or is stopped.
pub(crate) type Work = Box<dyn FnOnce(StopSignal) -> crate::Result<()> + Send>;

/// The system this program was built for.
pub(crate) use imp::SYSTEM;

/// How to get the rights that [`is_administrator()`] checks, as the end of a sentence.
pub(crate) use imp::TO_BE_ADMINISTRATOR;

/// Runs an agent, started from a terminal or by a service manager, and stops it on request of either.
///
/// # Errors
/// If the work fails, or signals cannot be handled.
pub(crate) use imp::serve;

/// Notifies the service manager that the agent has started.
pub(crate) use imp::ready;

/// Permissions of an ordinary file before the umask, on systems that have a mode.
pub(crate) use imp::ordinary_permissions;

/// Opens a file to append to, and creates it for this user only, on systems that have a mode.
pub(crate) use imp::open_private;

/// Creates a folder and its parents for this user only, on systems that have a mode.
pub(crate) use imp::create_private_folder;

/// Sets the nine permission bits of a file, on systems that have a mode.
pub(crate) use imp::set_mode;

/// Whether users other than its owner can read a file. Unknown on Windows, and always false there.
pub(crate) use imp::others_may_read;

/// The name of a file's owner.
///
/// # Errors
/// If the system fails, or if owners need not be users.
pub(crate) use imp::owner;

/// Whether this process may install services.
pub(crate) use imp::is_administrator;

/// Sends a request to the service control manager of Windows.
///
/// # Errors
/// If the request fails, and always on other systems.
pub(crate) use imp::control;

/// The process ID of the service on Windows: 0 if it is stopped, `None` if it is not installed.
pub(crate) use imp::controlled;

/// Whether commands can run as another user here; the error is the reason.
pub(crate) use imp::can_confine;

/// The IDs of a user and its group.
///
/// # Errors
/// If the user does not exist.
pub(crate) use imp::user;

/// Isolates this process, drops all privileges and executes a program. Returns only on errors.
pub(crate) use imp::become_confined;

/// Whether the total memory of a user's commands can be limited here; the error is the reason.
pub(crate) use imp::can_limit_total;

/// Removes what [`become_confined()`] has set up for a user on this machine.
pub(crate) use imp::release_user;

/// The file that an agent locks while it uses this job user.
pub(crate) use imp::lock_of_user;

/// Whether a running program can be replaced here; the error is the reason.
pub(crate) use imp::can_update;

/// Executes a program in this process. Returns only on errors.
pub(crate) use imp::become_program;

/// Kills all processes of a user.
pub(crate) use imp::end_all_of;

#[cfg(windows)]
pub(crate) use imp::{bytes_in, give, remove_tree};
#[cfg(unix)]
pub(crate) use tree::{bytes_in, give, remove_tree};

/// Whether a process's system calls can be recorded here; the error is the reason.
pub(crate) use imp::can_record;

/// Whether a path is a pipe or a socket.
pub(crate) use imp::is_channel;

/// Asks a process to finish and exit.
pub(crate) use imp::ask_to_end;

/// What was opened in a folder, by paths relative to it.
#[derive(Debug, Default)]
pub(crate) struct OpenedFiles {
    /// The opened files that existed before.
    pub(crate) files: BTreeSet<PathBuf>,
    /// All symbolic links that leave the folder, with their targets.
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
}

/// Whether [`WatchedFiles`] works here.
pub(crate) use watched::CAN_WATCH_FILES;

/// Records which files of a folder any process opens, except for the repository in `.git`.
///
/// # Errors
/// If the system has no watch for each of its folders, or more files were opened than the system reports.
pub(crate) use watched::WatchedFiles;
