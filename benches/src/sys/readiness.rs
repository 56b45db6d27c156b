//! Waiting until a stream can be read, as programs with event loops do before they read: one file per mechanism.

use super::Unsupported;
use super::handle::Handle;
use std::io;

/// The systems of each mechanism.
const SYSTEMS: [(&str, &str); 2] = [("epoll", "Linux"), ("kqueue", "macOS and FreeBSD")];

/// Checks that this system has the mechanism with this name. The error names the systems that have it.
pub(crate) fn support(mechanism: &str) -> Result<(), Unsupported> {
    if imp::MECHANISM == Some(mechanism) {
        return Ok(());
    }
    let home = SYSTEMS.iter().find(|(known, _)| *known == mechanism).map_or("no system", |(_, home)| home);
    Err(Unsupported::because(format!("{mechanism} exists only on {home}")))
}

/// A stream that the system watches for data.
pub(crate) use imp::Readiness;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `epoll_wait(2)`, level-triggered (epoll(7)).

    use super::*;
    use rustix::event::epoll;
    use rustix::io::{ioctl_fionbio, retry_on_intr};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    pub(super) const MECHANISM: Option<&str> = Some("epoll");

    #[derive(Debug)]
    pub(crate) struct Readiness(OwnedFd);

    impl Readiness {
        /// Watches a stream. From now on its reads do not block: an empty stream returns `WouldBlock`.
        pub(crate) fn new(stream: &Handle) -> io::Result<Self> {
            ioctl_fionbio(stream, true)?;
            let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
            // Closing of the other end is always reported.
            epoll::add(&queue, stream, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
            Ok(Self(queue))
        }

        /// Waits until there is data, or the other end is closed. Returns immediately while that is the case.
        #[inline]
        pub(crate) fn wait(&self) -> io::Result<()> {
            let mut event = [MaybeUninit::uninit()];
            Ok(retry_on_intr(|| epoll::wait(&self.0, &mut event, None).map(drop))?)
        }
    }
}

#[cfg(any(target_os = "macos", target_os = "freebsd"))]
mod imp {
    //! macOS and FreeBSD: kevent(2) with `EVFILT_READ`, which is level-triggered without `EV_CLEAR`.

    use super::*;
    use rustix::event::kqueue::{Event, EventFilter, EventFlags, kevent, kqueue};
    use rustix::io::{ioctl_fionbio, retry_on_intr};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::ptr;

    pub(super) const MECHANISM: Option<&str> = Some("kqueue");

    #[derive(Debug)]
    pub(crate) struct Readiness(OwnedFd);

    impl Readiness {
        #[expect(unsafe_code, reason = "kevent names a descriptor by its number")]
        pub(crate) fn new(stream: &Handle) -> io::Result<Self> {
            ioctl_fionbio(stream, true)?;
            let queue = kqueue()?;
            let change = Event::new(EventFilter::Read(stream.as_raw_fd()), EventFlags::ADD, ptr::null_mut());
            let no_room: &mut [Event] = &mut [];
            // SAFETY: the descriptor is open now; when it is closed, the queue forgets it (kqueue(2)).
            unsafe { kevent(&queue, &[change], no_room, None) }?;
            Ok(Self(queue))
        }

        #[inline]
        #[expect(unsafe_code, reason = "kevent")]
        pub(crate) fn wait(&self) -> io::Result<()> {
            let mut event = [MaybeUninit::uninit()];
            // SAFETY: no changes, and space for one event. Without a time it waits forever.
            Ok(retry_on_intr(|| unsafe { kevent(&self.0, &[], &mut event, None) }.map(drop))?)
        }
    }
}

#[cfg(windows)]
mod imp {
    //! Systems without this mechanism for pipes.

    use super::*;
    pub(super) const MECHANISM: Option<&str> = None;

    #[derive(Debug)]
    pub(crate) enum Readiness {}

    impl Readiness {
        missing! { pub(crate) fn new(&Handle) -> Self; }
        never! { pub(crate) fn wait() -> io::Result<()>; }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_mechanism_names_its_systems() {
        for (mechanism, home) in SYSTEMS {
            match support(mechanism) {
                Ok(()) => assert_eq!(imp::MECHANISM, Some(mechanism)),
                Err(Unsupported(reason)) => assert_eq!(reason, format!("{mechanism} exists only on {home}")),
            }
        }
        assert!(support("select").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn stream_is_ready_with_data_and_at_the_end() {
        use crate::sys::{pipe, stream};
        use std::io::ErrorKind;
        let (reader, writer) = pipe::pair().unwrap();
        let readiness = Readiness::new(&reader).unwrap();
        let mut buffer = [0; 2];
        assert_eq!(stream::read(&reader, &mut buffer).unwrap_err().kind(), ErrorKind::WouldBlock);
        stream::write(&writer, b"abc").unwrap();
        for expected in [2, 1] {
            // The second time because of the rest after the first read.
            readiness.wait().unwrap();
            assert_eq!(stream::read(&reader, &mut buffer).unwrap(), expected);
        }
        drop(writer);
        readiness.wait().unwrap();
        assert_eq!(stream::read(&reader, &mut buffer).unwrap(), 0);
    }
}
