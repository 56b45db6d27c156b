//! All that differs between operating systems: one file a system, and here what each must offer. `unix` is what three
//! of them have in common.

use crate::agent::inbox::Inbox;
use crate::lab::confine::Limits;
use crate::service::{System, windows};
use std::fs::Permissions;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;
#[cfg(unix)]
mod unix;

/// The system that this program was built for.
pub(crate) const SYSTEM: System = imp::SYSTEM;

/// How somebody gets the rights that [`is_administrator()`] asks for, as the end of a sentence.
pub(crate) const TO_BE_ADMINISTRATOR: &str = imp::TO_BE_ADMINISTRATOR;

/// What an agent does until it ends or its inbox asks it to stop.
pub(crate) type Work = Box<dyn FnOnce(Inbox) -> crate::Result<()> + Send>;

/// Runs an agent under whoever started it, a service manager or a person, and lets both stop it.
///
/// # Errors
/// Of the work, and when the system does not let this program hear of signals.
pub(crate) fn serve(work: Work) -> crate::Result<()> {
    imp::serve(work)
}

/// Tells a service manager that waits for it that the agent is at work.
pub(crate) fn ready() {
    imp::ready();
}

/// Permissions of a file that anybody may read, where the system has such: the umask takes away from them.
pub(crate) fn ordinary_permissions() -> Option<Permissions> {
    imp::ordinary_permissions()
}

/// Makes a file as readable and executable as these nine bits say, where the system has such.
///
/// # Errors
/// Of the system.
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    imp::set_mode(path, mode)
}

/// Whether others than its owner may read a file. Never on Windows, where no short answer is true.
///
/// # Errors
/// Of the system.
pub(crate) fn others_may_read(path: &Path) -> io::Result<bool> {
    imp::others_may_read(path)
}

/// The name of the user who owns a file.
///
/// # Errors
/// Of the system, and where a file's owner need not be a user.
pub(crate) fn owner(path: &Path) -> io::Result<String> {
    imp::owner(path)
}

/// Whether this process may install services.
pub(crate) fn is_administrator() -> bool {
    imp::is_administrator()
}

/// Asks something of the service control manager of Windows.
///
/// # Errors
/// What it answers; elsewhere, that there is none.
pub(crate) fn control(request: &windows::Request) -> crate::Result<()> {
    imp::control(request)
}

/// The process of the service, 0 if it is stopped, or none where it is not installed, as the service control manager of
/// Windows says.
///
/// # Errors
/// As [`control()`].
pub(crate) fn controlled() -> crate::Result<Option<u32>> {
    imp::controlled()
}

/// Whether programs can be run as another user here, and why not.
///
/// # Errors
/// Why not, as the end of a sentence.
pub(crate) fn can_confine() -> Result<(), String> {
    imp::can_confine()
}

/// The numbers of a user and of its group.
///
/// # Errors
/// There is no such user.
pub(crate) fn user(name: &str) -> io::Result<(u32, u32)> {
    imp::user(name)
}

/// Gives up all rights for good, and becomes a program. Returns only what the system refuses.
pub(crate) fn become_confined(limits: Limits, has_network: bool, command: Command) -> io::Error {
    imp::become_confined(limits, has_network, command)
}

/// The file that an agent locks while it runs repositories as this user.
pub(crate) fn lock_of_user(user_id: u32) -> PathBuf {
    imp::lock_of_user(user_id)
}

/// Whether a running program can be replaced by another one here, and why not.
///
/// # Errors
/// Why not, as the end of a sentence.
pub(crate) fn can_update() -> Result<(), String> {
    imp::can_update()
}

/// Becomes a program, as the same process. Returns only what the system refuses.
pub(crate) fn become_program(command: Command) -> io::Error {
    imp::become_program(command)
}

/// Ends all processes of a user.
pub(crate) fn end_all_of(user_id: u32, group_id: u32) {
    imp::end_all_of(user_id, group_id);
}

/// Gives a folder and all that is in it to a user.
///
/// # Errors
/// Of the system.
pub(crate) fn give(folder: &Path, user_id: u32, group_id: u32) -> io::Result<()> {
    imp::give(folder, user_id, group_id)
}

/// Whether the calls of a running process can be recorded here, and why not.
///
/// # Errors
/// Why not, as a sentence.
pub(crate) fn can_record() -> Result<(), String> {
    imp::can_record()
}

/// Whether a path leads to a pipe, named or not, or to a socket.
///
/// # Errors
/// Of the system.
pub(crate) fn is_channel(path: &Path) -> io::Result<bool> {
    imp::is_channel(path)
}

/// Asks a program to end what it does, and then itself.
///
/// # Errors
/// Of the system.
pub(crate) fn ask_to_end(child: &Child) -> io::Result<()> {
    imp::ask_to_end(child)
}
