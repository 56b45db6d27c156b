//! The channel between a parent and the child that it has forked as Node does: a stream of bytes in both directions whose
//! reads and writes do not wait, and whose number the child finds in `NODE_CHANNEL_FD`.

use super::Unsupported;
use super::handle::Handle;
use std::io;
use std::process::Command;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "unsupported.rs")]
mod imp;

/// Whether this system has such channels.
///
/// # Errors
/// The reason where not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// One end.
#[derive(Debug)]
pub struct Channel(imp::Channel);

impl Channel {
    /// A new one, and the end to [`give`] to a child and let go of once it is started.
    ///
    /// # Errors
    /// Of the system.
    pub fn pair() -> io::Result<(Self, Handle)> {
        let (ours, theirs) = imp::pair()?;
        Ok((Self(ours), theirs))
    }

    /// The end that the parent has given to this process.
    ///
    /// # Errors
    /// When it has given none.
    pub fn inherited() -> io::Result<Self> {
        imp::inherited().map(Self)
    }

    /// Sends some of the bytes; returns how many, 0 while there is no room.
    ///
    /// # Errors
    /// When the other end is gone, or of the system.
    #[inline]
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes)
    }

    /// Receives what there is; returns how many bytes, 0 at the end, none while there is nothing.
    ///
    /// # Errors
    /// Of the system.
    #[inline]
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.0.receive(buffer)
    }

    /// Waits until there is something to receive, or, if wanted, room to send.
    ///
    /// # Errors
    /// Of the system.
    #[inline]
    pub fn wait(&self, to_send: bool) -> io::Result<()> {
        self.0.wait(to_send)
    }
}

/// Lets a child that is not started yet find this end.
pub fn give(command: &mut Command, theirs: &Handle) {
    imp::give(command, theirs);
}
