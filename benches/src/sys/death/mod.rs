//! Children that die with the parent, so that no crash of ours leaves a process behind.

use std::process::Command;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Arranges that the child is killed when the thread that spawns it ends, however it ends. Spawn from a thread
/// that lives as long as the child is wanted.
pub fn die_with_parent(command: &mut Command) {
    imp::die_with_parent(command);
}
