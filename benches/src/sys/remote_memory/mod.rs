//! Reading another process's memory without its help.

use super::Unsupported;
use std::io;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Whether the mechanism exists here.
///
/// # Errors
/// The reason where it does not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Lets any process of this user read this one's memory, where a security module forbids it otherwise.
pub fn permit() {
    imp::permit();
}

/// Fills the buffer from another process's memory at this address.
///
/// # Errors
/// Of the system: no permission, nothing mapped there; [`closed`](crate::sys::closed) when it has ended.
#[inline]
pub fn read(process: u32, address: u64, buffer: &mut [u8]) -> io::Result<()> {
    imp::read(process, address, buffer)
}
