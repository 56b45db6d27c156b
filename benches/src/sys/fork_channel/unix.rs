//! Unix: a pair of stream sockets (socketpair(2)), waited for with poll(2).

use crate::sys::Unsupported;
use crate::sys::handle::{self, Handle};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::process::Command;
use std::{env, io};

/// Where a child of Node finds its channel (nodejs/node, `lib/internal/child_process.js`).
const VARIABLE: &str = "NODE_CHANNEL_FD";

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

#[derive(Debug)]
pub(super) struct Channel(OwnedFd);

pub(super) fn pair() -> io::Result<(Channel, Handle)> {
    let (ours, theirs) =
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)?;
    for end in [&ours, &theirs] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok((Channel::of(ours)?, theirs))
}

pub(super) fn give(command: &mut Command, theirs: &Handle) {
    command.env(VARIABLE, theirs.as_raw_fd().to_string());
    handle::prepare(command, [theirs]);
}

#[expect(unsafe_code, reason = "a number becomes a descriptor")]
pub(super) fn inherited() -> io::Result<Channel> {
    let missing = || {
        io::Error::other(format!("{VARIABLE} names no descriptor: expected the channel of a forked child"))
    };
    let number: i32 = env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).ok_or_else(missing)?;
    if number < 0 {
        return Err(missing());
    }
    // SAFETY: only duplicated, which refuses what is not open.
    let duplicate = unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned()?;
    Channel::of(duplicate)
}

impl Channel {
    fn of(socket: OwnedFd) -> io::Result<Self> {
        ioctl_fionbio(&socket, true)?;
        Ok(Self(socket))
    }

    #[inline]
    pub(super) fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(&self.0, bytes) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            sent => Ok(sent?),
        }
    }

    #[inline]
    pub(super) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.0, buffer) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            received => Ok(Some(received?)),
        }
    }

    #[inline]
    pub(super) fn wait(&self, to_send: bool) -> io::Result<()> {
        let room = if to_send { PollFlags::OUT } else { PollFlags::empty() };
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN | room)], None) {
            Err(Errno::INTR) | Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
