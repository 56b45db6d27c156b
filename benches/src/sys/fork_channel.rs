//! The channel between a parent and a child forked as Node does: a non-blocking byte stream in both directions. The
//! child finds its number in `NODE_CHANNEL_FD`.

use super::Unsupported;
use super::handle::Handle;
use std::io;
use std::process::Command;

/// Checks that this system has these channels.
///
/// # Errors
/// The reason, if it has none.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

pub(crate) use imp::Channel;

/// Gives this end to a child that is not started yet.
pub(crate) use imp::give;

#[cfg(unix)]
mod imp {
    //! Unix: a pair of stream sockets (socketpair(2)), with poll(2) for waiting.

    use super::*;
    use crate::sys::handle;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::{Errno, ioctl_fionbio};
    use rustix::net::{AddressFamily, SocketFlags, SocketType};
    use std::env;
    use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

    /// The variable in which a child of Node finds its channel (nodejs/node, `lib/internal/child_process.js`).
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
        /// Creates a channel, and the other end: [`give`] it to a child and drop it once the child is started.
        pub(crate) fn pair() -> io::Result<(Self, Handle)> {
            let (ours, theirs) =
                rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)?;
            for end in [&ours, &theirs] {
                rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
            }
            Ok((Self::from_socket(ours)?, theirs))
        }

        /// The end that the parent has given to this process.
        #[expect(unsafe_code, reason = "a number becomes a descriptor")]
        pub(crate) fn inherited() -> io::Result<Self> {
            let missing = || {
                io::Error::other(format!(
                    "{VARIABLE} is not a descriptor: expected the channel of a forked child"
                ))
            };
            let number: i32 =
                env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).ok_or_else(missing)?;
            if number < 0 {
                return Err(missing());
            }
            // SAFETY: only duplicated, which fails for a closed descriptor.
            let duplicate = unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned()?;
            Self::from_socket(duplicate)
        }

        fn from_socket(socket: OwnedFd) -> io::Result<Self> {
            ioctl_fionbio(&socket, true)?;
            Ok(Self(socket))
        }

        /// Sends some of the bytes; returns how many, 0 if the channel is full.
        #[inline]
        pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<usize> {
            match rustix::io::write(&self.0, bytes) {
                Err(Errno::AGAIN | Errno::INTR) => Ok(0),
                sent => Ok(sent?),
            }
        }

        /// Receives available bytes; returns how many, 0 at the end, `None` if there are none.
        #[inline]
        pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
            match rustix::io::read(&self.0, buffer) {
                Err(Errno::AGAIN | Errno::INTR) => Ok(None),
                received => Ok(Some(received?)),
            }
        }

        /// Waits until it can receive or, if requested, send.
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
    //! Not implemented elsewhere: on Windows, libuv adds a frame to every write of its channel.

    use super::*;
    use std::convert::Infallible;

    pub(super) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("supported only on Unix, where the channel is a socket pair"))
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
