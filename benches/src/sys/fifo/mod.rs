//! FIFOs: pipes that are opened by a path.

use super::Unsupported;
use std::io;
use std::path::Path;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "unsupported.rs")]
mod imp;

/// Whether there are such pipes.
///
/// # Errors
/// The reason where there are none.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Creates a FIFO that only this user may open.
///
/// # Errors
/// Of the system, or when the path has a NUL byte in it.
pub fn create(path: &Path) -> io::Result<()> {
    imp::create(path)
}
