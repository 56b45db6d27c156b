//! Linux: `epoll_wait(2)`, level-triggered (epoll(7)).

use crate::sys::handle::Handle;
use rustix::event::epoll;
use rustix::io::{Errno, ioctl_fionbio};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

pub(super) const MECHANISM: Option<&str> = Some("epoll");

#[derive(Debug)]
pub(super) struct Readiness(OwnedFd);

impl Readiness {
    pub(super) fn of(stream: &Handle) -> io::Result<Self> {
        ioctl_fionbio(stream, true)?;
        let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        // That the other end is closed is reported in any case.
        epoll::add(&queue, stream, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        Ok(Self(queue))
    }

    #[inline]
    pub(super) fn wait(&self) -> io::Result<()> {
        let mut event = [MaybeUninit::uninit()];
        loop {
            match epoll::wait(&self.0, &mut event, None) {
                Err(Errno::INTR) => {}
                other => return other.map(|_| ()).map_err(io::Error::from),
            }
        }
    }
}
