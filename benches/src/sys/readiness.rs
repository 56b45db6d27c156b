//! Waiting until a stream can be read, as programs with event loops do before they read: one file a mechanism.

use super::Unsupported;
use super::handle::Handle;
use std::io;

/// Where each mechanism exists.
const HOMES: [(&str, &str); 2] = [("epoll", "Linux"), ("kqueue", "macOS and FreeBSD")];

/// Whether this system has the mechanism of this name. The error names the systems that have it.
pub(crate) fn support(mechanism: &str) -> Result<(), Unsupported> {
    if imp::MECHANISM == Some(mechanism) {
        return Ok(());
    }
    let home = HOMES.iter().find(|(known, _)| *known == mechanism).map_or("no system", |(_, home)| home);
    Err(Unsupported::because(format!("{mechanism}: only on {home}")))
}

/// One stream that the system watches for something to read.
pub(crate) use imp::Readiness;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `epoll_wait(2)`, level-triggered (epoll(7)).

    use super::*;
    use rustix::event::epoll;
    use rustix::io::{Errno, ioctl_fionbio};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    pub(super) const MECHANISM: Option<&str> = Some("epoll");

    #[derive(Debug)]
    pub(crate) struct Readiness(OwnedFd);

    impl Readiness {
        /// Watches a stream. From now on its reads do not wait: one that finds nothing returns `WouldBlock`.
        pub(crate) fn of(stream: &Handle) -> io::Result<Self> {
            ioctl_fionbio(stream, true)?;
            let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
            // That the other end is closed is reported in any case.
            epoll::add(&queue, stream, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
            Ok(Self(queue))
        }

        /// Waits until there is something to read, or the other end is closed. Returns at once while that is so already.
        #[inline]
        pub(crate) fn wait(&self) -> io::Result<()> {
            let mut event = [MaybeUninit::uninit()];
            loop {
                match epoll::wait(&self.0, &mut event, None) {
                    Err(Errno::INTR) => {}
                    other => return other.map(|_| ()).map_err(io::Error::from),
                }
            }
        }
    }
}

#[cfg(any(target_os = "macos", target_os = "freebsd"))]
mod imp {
    //! macOS and FreeBSD: kevent(2) with `EVFILT_READ`, which without `EV_CLEAR` tells again what is still so.

    use super::*;
    use rustix::event::kqueue::{Event, EventFilter, EventFlags, kevent, kqueue};
    use rustix::io::{Errno, ioctl_fionbio};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::ptr;

    pub(super) const MECHANISM: Option<&str> = Some("kqueue");

    #[derive(Debug)]
    pub(crate) struct Readiness(OwnedFd);

    impl Readiness {
        #[expect(unsafe_code, reason = "kevent names a descriptor by its number")]
        pub(crate) fn of(stream: &Handle) -> io::Result<Self> {
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
        pub(crate) fn wait(&self) -> io::Result<()> {
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
}

#[cfg(windows)]
mod imp {
    //! Systems that have no such mechanism for pipes.

    use super::*;
    pub(super) const MECHANISM: Option<&str> = None;

    #[derive(Debug)]
    pub(crate) enum Readiness {}

    impl Readiness {
        missing! { pub(crate) fn of(&Handle) -> Self; }
        never! { pub(crate) fn wait() -> io::Result<()>; }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_here_names_the_systems_that_have_it() {
        for (mechanism, home) in HOMES {
            match support(mechanism) {
                Ok(()) => assert_eq!(imp::MECHANISM, Some(mechanism)),
                Err(Unsupported(reason)) => assert_eq!(reason, format!("{mechanism}: only on {home}")),
            }
        }
        assert!(support("select").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_stream_is_ready_while_there_is_something_left_and_when_it_ends() {
        use crate::sys::{pipe, stream};
        use std::io::ErrorKind;
        let (reader, writer) = pipe::pair().unwrap();
        let readiness = Readiness::of(&reader).unwrap();
        let mut buffer = [0; 2];
        assert_eq!(stream::read(&reader, &mut buffer).unwrap_err().kind(), ErrorKind::WouldBlock);
        stream::write(&writer, b"abc").unwrap();
        for expected in [2, 1] {
            // The second time for what the first read has left.
            readiness.wait().unwrap();
            assert_eq!(stream::read(&reader, &mut buffer).unwrap(), expected);
        }
        drop(writer);
        readiness.wait().unwrap();
        assert_eq!(stream::read(&reader, &mut buffer).unwrap(), 0);
    }
}
