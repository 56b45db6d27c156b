//! macOS and FreeBSD: neither launchd nor daemon(8) needs a notification that the agent has started.

use super::{Folders, Limits, System};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

pub(crate) use super::unix::*;

pub(crate) const SYSTEM: System = if cfg!(target_os = "macos") { System::Macos } else { System::Freebsd };

const NAME: &str = if cfg!(target_os = "macos") { "macOS" } else { "FreeBSD" };

pub(crate) fn ready() {}

/// Network access is not removed on these systems, and folders are not isolated.
pub(crate) fn become_confined(
    limits: Limits,
    _folders: &Folders,
    _has_network: bool,
    command: Command,
) -> io::Error {
    become_user(limits, command)
}

pub(crate) fn can_limit_total() -> Result<(), String> {
    Err(format!("unsupported on {NAME}"))
}

pub(crate) fn release_user(_user_id: u32) {}

/// All users may write there.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Also deletes the user's temporary files. Never run on these systems.
pub(crate) fn end_all_of(user_id: u32, group_id: u32) {
    super::unix::end_all_of(user_id, group_id);
    for entry in TEMPORARY.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
        if entry.metadata().is_ok_and(|about| about.uid() == user_id) {
            // If this fails, the next call deletes it.
            let _ = super::remove_tree(&entry.path());
        }
    }
}

/// These systems cannot change the user of a thread.
pub(super) fn with_files_of<T>(
    _user_id: u32,
    _group_id: u32,
    act: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    act()
}

pub(crate) fn can_record() -> Result<(), String> {
    Err(format!("`roundtrip record` supports only Linux, not {NAME}"))
}
