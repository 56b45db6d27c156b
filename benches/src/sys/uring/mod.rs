//! `io_uring(7)`: requests to the kernel in memory shared with it. One call submits requests and waits for a completion.

#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod multishot;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub(crate) use messages::Messages;
#[cfg(target_os = "linux")]
pub(crate) use multishot::Multishot;
/// Checks that this process may use `io_uring`, and that the kernel is recent enough.
#[cfg(target_os = "linux")]
pub(crate) use ring::support;
#[cfg(target_os = "linux")]
pub(crate) use streams::{Streams, registration_support};
#[cfg(not(target_os = "linux"))]
pub(crate) use unsupported::*;

use crate::system::{SupportedSystem, System};
use std::io;

/// The systems of the transports that use a ring.
pub(crate) const SYSTEMS: &[SupportedSystem] =
    &[System::Linux.sometimes("since 6.1, unless io_uring is disabled")];

/// Bytes each way.
pub(crate) trait Stream {
    /// Sends some of the bytes, waiting while there is no room; returns how many.
    fn send(&mut self, message: &[u8]) -> io::Result<usize>;

    /// Receives some bytes, waiting while there are none; returns how many, 0 at the end.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Prepares memory for faster requests, if the stream supports it. It must not be unmapped and replaced by other
    /// memory at the same address.
    fn register(&mut self, memory: &mut [u8]) -> io::Result<()> {
        let _ = memory;
        Ok(())
    }
}
