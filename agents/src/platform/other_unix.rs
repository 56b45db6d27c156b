//! macOS and FreeBSD: neither launchd nor daemon(8) needs a notification that the agent has started.

use super::{Limits, System};
use std::io;
use std::process::Command;

pub(crate) use super::unix::*;

pub(crate) const SYSTEM: System = if cfg!(target_os = "macos") { System::Macos } else { System::Freebsd };

const NAME: &str = if cfg!(target_os = "macos") { "macOS" } else { "FreeBSD" };

pub(crate) fn ready() {}

/// Network access is not removed on these systems.
pub(crate) fn become_confined(limits: Limits, _has_network: bool, command: Command) -> io::Error {
    become_user(limits, command)
}

pub(crate) fn can_record() -> Result<(), String> {
    Err(format!("`roundtrip record` supports only Linux, not {NAME}"))
}
