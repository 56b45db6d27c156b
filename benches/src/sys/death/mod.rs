//! Children that die with the parent, so that no crash of ours leaves a process behind: [`prepare`] the command,
//! [`bind`] the child, which itself calls [`die_with_parent`]. Systems differ in which of the three does it.

use std::io;
use std::process::{Child, Command};

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// Arranges that the child is killed when the thread that spawns it ends, however it ends. Spawn from a thread
/// that lives as long as the child is wanted.
pub fn prepare(command: &mut Command) {
    imp::prepare(command);
}

/// Ties a child that has just been started to this process.
///
/// # Errors
/// Of the system.
pub fn bind(child: &Child) -> io::Result<()> {
    imp::bind(child)
}

/// In the child: ends this process when its parent ends.
///
/// # Errors
/// Of the system.
pub fn die_with_parent() -> io::Result<()> {
    imp::die_with_parent()
}
