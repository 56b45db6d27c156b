//! macOS and FreeBSD: kevent(2) with `EVFILT_READ`, which without `EV_CLEAR` tells again what is still so.

use crate::sys::handle::Handle;
use rustix::event::kqueue::{Event, EventFilter, EventFlags, kevent, kqueue};
use rustix::io::{Errno, ioctl_fionbio};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

pub(super) const MECHANISM: Option<&str> = Some("kqueue");

#[derive(Debug)]
pub(super) struct Readiness(OwnedFd);

impl Readiness {
    #[expect(unsafe_code, reason = "kevent names a descriptor by its number")]
    pub(super) fn of(stream: &Handle) -> io::Result<Self> {
        ioctl_fionbio(stream, true)?;
        let queue = kqueue()?;
        let wish = Event::new(EventFilter::Read(stream.as_raw_fd()), EventFlags::ADD, ptr::null_mut());
        let no_room: &mut [Event] = &mut [];
        // SAFETY: the descriptor is open now; when it is closed, the queue forgets it (kqueue(2)).
        unsafe { kevent(&queue, &[wish], no_room, None) }?;
        Ok(Self(queue))
    }

    #[inline]
    #[expect(unsafe_code, reason = "kevent")]
    pub(super) fn wait(&self) -> io::Result<()> {
        let mut event = [MaybeUninit::uninit()];
        loop {
            // SAFETY: no wishes, and room for one event. Without a time it waits for ever.
            match unsafe { kevent(&self.0, &[], &mut event, None) } {
                Err(Errno::INTR) => {}
                other => return other.map(|_| ()).map_err(io::Error::from),
            }
        }
    }
}
