//! A counter in the kernel that one process raises and another waits for, without a name.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(target_os = "linux", path = "eventfd.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Whether the mechanism exists here.
///
/// # Errors
/// The reason where it does not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Creates a counter of zero that each wait lowers by one.
///
/// # Errors
/// Of the system, such as too many open files.
pub fn create() -> io::Result<Handle> {
    imp::create()
}

/// Raises it by one, and wakes who waits.
///
/// # Errors
/// Of the system.
#[inline]
pub fn raise(event: &Handle) -> io::Result<()> {
    imp::raise(event)
}

/// Waits until it is above zero, and lowers it by one.
///
/// # Errors
/// Of the system.
#[inline]
pub fn wait(event: &Handle) -> io::Result<()> {
    imp::wait(event)
}
