//! The channel between a parent and the child that it has forked as Node does: a stream of bytes in both directions whose
//! reads and writes do not wait, and whose number the child finds in `NODE_CHANNEL_FD`.

use super::Unsupported;
use super::handle::Handle;
use std::io;
use std::process::Command;

/// Whether this system has such channels.
///
/// # Errors
/// The reason where not.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

pub(crate) use imp::Channel;

/// Lets a child that is not started yet find this end.
pub(crate) use imp::give;

#[cfg(unix)]
mod imp {
    //! Unix: a pair of stream sockets (socketpair(2)), waited for with poll(2).

    use super::*;
    use crate::sys::handle;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::{Errno, ioctl_fionbio};
    use rustix::net::{AddressFamily, SocketFlags, SocketType};
    use std::env;
    use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

    /// Where a child of Node finds its channel (nodejs/node, `lib/internal/child_process.js`).
    const VARIABLE: &str = "NODE_CHANNEL_FD";

    pub(super) fn support() -> Result<(), Unsupported> {
        Ok(())
    }

    #[derive(Debug)]
    pub(crate) struct Channel(OwnedFd);

    pub(crate) fn give(command: &mut Command, theirs: &Handle) {
        command.env(VARIABLE, theirs.as_raw_fd().to_string());
        handle::prepare(command, [theirs]);
    }

    impl Channel {
        /// A new one, and the end to [`give`] to a child and let go of once it is started.
        pub(crate) fn pair() -> io::Result<(Self, Handle)> {
            let (ours, theirs) =
                rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)?;
            for end in [&ours, &theirs] {
                rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
            }
            Ok((Self::of(ours)?, theirs))
        }

        /// The end that the parent has given to this process.
        #[expect(unsafe_code, reason = "a number becomes a descriptor")]
        pub(crate) fn inherited() -> io::Result<Self> {
            let missing = || {
                io::Error::other(format!(
                    "{VARIABLE} names no descriptor: expected the channel of a forked child"
                ))
            };
            let number: i32 =
                env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).ok_or_else(missing)?;
            if number < 0 {
                return Err(missing());
            }
            // SAFETY: only duplicated, which refuses what is not open.
            let duplicate = unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned()?;
            Self::of(duplicate)
        }

        fn of(socket: OwnedFd) -> io::Result<Self> {
            ioctl_fionbio(&socket, true)?;
            Ok(Self(socket))
        }

        /// Sends some of the bytes; returns how many, 0 while there is no room.
        #[inline]
        pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<usize> {
            match rustix::io::write(&self.0, bytes) {
                Err(Errno::AGAIN | Errno::INTR) => Ok(0),
                sent => Ok(sent?),
            }
        }

        /// Receives what there is; returns how many bytes, 0 at the end, none while there is nothing.
        #[inline]
        pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
            match rustix::io::read(&self.0, buffer) {
                Err(Errno::AGAIN | Errno::INTR) => Ok(None),
                received => Ok(Some(received?)),
            }
        }

        /// Waits until there is something to receive, or, if wanted, room to send.
        #[inline]
        pub(crate) fn wait(&self, to_send: bool) -> io::Result<()> {
            let room = if to_send { PollFlags::OUT } else { PollFlags::empty() };
            match poll(&mut [PollFd::new(&self.0, PollFlags::IN | room)], None) {
                Err(Errno::INTR) | Ok(_) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }
    }
}

#[cfg(windows)]
mod imp {
    //! Elsewhere there is none: on Windows libuv wraps every write of its channel in a frame of its own.

    use super::*;
    use std::convert::Infallible;

    pub(super) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "the channel of a forked child is a pair of sockets on Unix, and another thing on Windows",
        ))
    }

    #[derive(Debug)]
    pub(crate) struct Channel(Infallible);

    pub(crate) fn give(_command: &mut Command, _theirs: &Handle) {}

    impl Channel {
        missing! { pub(crate) fn pair() -> (Self, Handle); }

        pub(crate) fn inherited() -> io::Result<Self> {
            Err(io::Error::from(io::ErrorKind::Unsupported)).map(Self)
        }

        pub(crate) fn send(&self, _: &[u8]) -> io::Result<usize> {
            match self.0 {}
        }

        pub(crate) fn receive(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
            match self.0 {}
        }

        pub(crate) fn wait(&self, _: bool) -> io::Result<()> {
            match self.0 {}
        }
    }
}
