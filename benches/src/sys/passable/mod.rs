//! [`Passable`]: what `handle-passing` passes, and how it is known again on the other side.

use super::handle::Handle;
use std::io;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// Something of the system that one process can give to another. Closed when dropped.
#[derive(Debug)]
pub enum Passable {
    /// A descriptor, or a handle.
    Handle(Handle),
}

impl Passable {
    /// A new one, of a kind that any transport can pass: a pipe's reader on Unix, a file mapping on Windows.
    ///
    /// # Errors
    /// Of the system, such as too many open files.
    pub fn new() -> io::Result<Self> {
        imp::make().map(Self::Handle)
    }

    /// A number that the same object has in every process, and hardly another one.
    ///
    /// # Errors
    /// Of the system, when it is no longer open.
    pub fn identity(&self) -> io::Result<u64> {
        let Self::Handle(handle) = self;
        imp::identity(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_object_has_the_same_identity_and_another_has_not() {
        let one = Passable::new().unwrap();
        let Passable::Handle(handle) = &one;
        let same = Passable::Handle(handle.try_clone().unwrap());
        assert_eq!(one.identity().unwrap(), same.identity().unwrap());
        assert_ne!(one.identity().unwrap(), Passable::new().unwrap().identity().unwrap());
    }
}
