//! All that differs between operating systems: one file a system, and here what each must offer. `unix` is what three
//! of them have in common.

use crate::stop::StopSignal;
use clap::{Args, ValueEnum};
use std::fmt;
use std::path::PathBuf;

#[cfg_attr(target_os = "freebsd", path = "other_unix.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "other_unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;
#[cfg(unix)]
mod unix;

/// What Windows calls the service.
pub(crate) const SERVICE_NAME: &str = "roundtrip-agent";

/// A system with a service manager that is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum System {
    /// `FreeBSD`: rc.d.
    Freebsd,
    /// Linux: systemd.
    Linux,
    /// macOS: launchd.
    Macos,
    /// Windows: its service control manager.
    Windows,
}

impl System {
    /// Where an agent of a whole machine that was enrolled keeps all that is its own, unless it is told another folder. It
    /// outlives the service. A folder in root's home would not do: the user of repositories has its work trees there, and
    /// may not enter that home.
    pub(crate) fn lab_state(self) -> PathBuf {
        match self {
            Self::Freebsd => "/var/db/roundtrip_lab".into(),
            Self::Linux => "/var/lib/roundtrip-lab".into(),
            Self::Macos => "/Library/Application Support/roundtrip-lab".into(),
            Self::Windows => program_data("roundtrip-lab"),
        }
    }
}

/// `%ProgramData%` is where programs keep what belongs to no user.
pub(crate) fn program_data(name: &str) -> PathBuf {
    let folder = std::env::var("ProgramData").unwrap_or_else(|_| r"C:\ProgramData".into());
    format!(r"{folder}\{name}").into()
}

/// What is asked of the service control manager.
#[derive(Clone, Debug)]
pub(crate) enum ServiceRequest {
    /// To have a service that these settings describe.
    Create(String),
    /// To start it, and to say when it runs.
    Start,
    /// To stop and to forget it.
    Delete,
}

impl fmt::Display for ServiceRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(settings) => {
                write!(formatter, "# have the service control manager create:\n{settings}")
            }
            Self::Start => writeln!(formatter, "# have the service control manager start {SERVICE_NAME}"),
            Self::Delete => {
                writeln!(formatter, "# have the service control manager stop and delete {SERVICE_NAME}")
            }
        }
    }
}

/// What a program of a repository is let to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub(crate) struct Limits {
    /// Who it is.
    #[arg(long)]
    pub(crate) user_id: u32,
    /// Its only group.
    #[arg(long)]
    pub(crate) group_id: u32,
    /// Memory of one process, in bytes.
    #[arg(long)]
    pub(crate) memory_bytes: u64,
    /// The largest file that it writes, in bytes.
    #[arg(long)]
    pub(crate) file_bytes: u64,
}

/// What an agent does until it ends or it is asked to stop.
pub(crate) type Work = Box<dyn FnOnce(StopSignal) -> crate::Result<()> + Send>;

/// The system that this program was built for.
pub(crate) use imp::SYSTEM;

/// How somebody gets the rights that [`is_administrator()`] asks for, as the end of a sentence.
pub(crate) use imp::TO_BE_ADMINISTRATOR;

/// Runs an agent under whoever started it, a service manager or a person, and lets both stop it.
///
/// # Errors
/// Of the work, and when the system does not let this program hear of signals.
pub(crate) use imp::serve;

/// Tells a service manager that waits for it that the agent is at work.
pub(crate) use imp::ready;

/// Permissions of a file that anybody may read, where the system has such: the umask takes away from them.
pub(crate) use imp::ordinary_permissions;

/// Makes a file as readable and executable as these nine bits say, where the system has such.
pub(crate) use imp::set_mode;

/// Whether others than its owner may read a file. Never on Windows, where no short answer is true.
pub(crate) use imp::others_may_read;

/// The name of the user who owns a file.
///
/// # Errors
/// Of the system, and where a file's owner need not be a user.
pub(crate) use imp::owner;

/// Whether this process may install services.
pub(crate) use imp::is_administrator;

/// Asks something of the service control manager of Windows.
///
/// # Errors
/// What it answers; elsewhere, that there is none.
pub(crate) use imp::control;

/// The process of the service, 0 if it is stopped, or none where it is not installed, as the service control manager of
/// Windows says.
pub(crate) use imp::controlled;

/// Whether programs can be run as another user here, and why not.
pub(crate) use imp::can_confine;

/// The numbers of a user and of its group.
///
/// # Errors
/// There is no such user.
pub(crate) use imp::user;

/// Gives up all rights for good, and becomes a program. Returns only what the system refuses.
pub(crate) use imp::become_confined;

/// The file that an agent locks while it runs repositories as this user.
pub(crate) use imp::lock_of_user;

/// Whether a running program can be replaced by another one here, and why not.
pub(crate) use imp::can_update;

/// Becomes a program, as the same process. Returns only what the system refuses.
pub(crate) use imp::become_program;

/// Ends all processes of a user.
pub(crate) use imp::end_all_of;

/// Gives a folder and all that is in it to a user.
pub(crate) use imp::give;

/// Whether the calls of a running process can be recorded here, and why not.
pub(crate) use imp::can_record;

/// Whether a path leads to a pipe, named or not, or to a socket.
pub(crate) use imp::is_channel;

/// Asks a program to end what it does, and then itself.
pub(crate) use imp::ask_to_end;
