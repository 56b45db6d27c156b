//! Waiting until a stream can be read, as programs with event loops do before they read: one file a mechanism.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(target_os = "linux", path = "epoll.rs")]
#[cfg_attr(any(target_os = "macos", target_os = "freebsd"), path = "kqueue.rs")]
#[cfg_attr(windows, path = "unsupported.rs")]
mod imp;

/// Where each mechanism exists.
const HOMES: [(&str, &str); 2] = [("epoll", "Linux"), ("kqueue", "macOS and FreeBSD")];

/// Whether this system has the mechanism of this name.
///
/// # Errors
/// Naming the systems that have it.
pub fn support(mechanism: &str) -> Result<(), Unsupported> {
    if imp::MECHANISM == Some(mechanism) {
        return Ok(());
    }
    let home = HOMES.iter().find(|(known, _)| *known == mechanism).map_or("no system", |(_, home)| home);
    Err(Unsupported::because(format!("{mechanism}: only on {home}")))
}

/// One stream that the system watches.
#[derive(Debug)]
pub struct Readiness(imp::Readiness);

impl Readiness {
    /// Watches a stream for something to read. From now on its reads do not wait: one that finds nothing returns
    /// `WouldBlock`.
    ///
    /// # Errors
    /// Of the system, such as too many open files; `Unsupported` where there is no mechanism.
    pub fn of(stream: &Handle) -> io::Result<Self> {
        imp::Readiness::of(stream).map(Self)
    }

    /// Waits until there is something to read, or the other end is closed. Returns at once while that is so already.
    ///
    /// # Errors
    /// Of the system.
    #[inline]
    pub fn wait(&self) -> io::Result<()> {
        self.0.wait()
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
