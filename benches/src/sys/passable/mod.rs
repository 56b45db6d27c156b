//! Something to give to another process, and how it is known again there.

use super::handle::Handle;
use std::io;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// A new thing that can be given: a pipe's reader on Unix, a file mapping on Windows.
///
/// # Errors
/// Of the system, such as too many open files.
pub fn make() -> io::Result<Handle> {
    imp::make()
}

/// A number that the same thing has in every process, and hardly another one.
///
/// # Errors
/// Of the system, when it is no longer open.
pub fn identity(handle: &Handle) -> io::Result<u64> {
    imp::identity(handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_object_has_the_same_identity_and_another_has_not() {
        let one = make().unwrap();
        assert_eq!(identity(&one).unwrap(), identity(&one.try_clone().unwrap()).unwrap());
        assert_ne!(identity(&one).unwrap(), identity(&make().unwrap()).unwrap());
    }
}
