//! How many bytes a pipe holds, and asking for another number.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "unsupported.rs")]
mod imp;

/// Whether a pipe can be made to hold this many bytes.
///
/// # Errors
/// The reason why not.
pub fn support(bytes: usize) -> Result<(), Unsupported> {
    imp::support(bytes)
}

/// Asks for a pipe that holds this many bytes. The system may round up.
///
/// # Errors
/// Of the system, when it is more than it allows.
pub fn set(pipe: &Handle, bytes: usize) -> io::Result<()> {
    imp::set(pipe, bytes)
}

/// How many bytes it holds, where the system tells.
pub fn get(pipe: &Handle) -> Option<u64> {
    imp::get(pipe)
}
