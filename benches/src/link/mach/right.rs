//! [`Right`]: a send right for an open file, to be passed in a message.

use crate::sys::handle::Handle;
use crate::sys::mach::port::SendRight;
use crate::sys::mach::{Kernel, Name};
use crate::sys::passable;
use std::io;

/// A send right for an open file. Released when dropped.
pub struct Right<K: Kernel>(SendRight<K>);

impl<K: Kernel> Right<K> {
    /// For an open file, which may be closed afterwards (`fileport_makeport`).
    pub(crate) fn for_file(kernel: &K, file: &Handle) -> io::Result<Self> {
        Ok(Self(SendRight::owning(kernel, kernel.file_to_right(file)?)))
    }

    pub(super) fn owning(right: SendRight<K>) -> Self {
        Self(right)
    }

    #[inline]
    pub(super) fn name(&self) -> Name {
        self.0.name()
    }

    /// Opens the file (`fileport_makefd`). Fails if the right is not for a file, or if this process may open no more
    /// files.
    pub(crate) fn open(&self) -> io::Result<Handle> {
        self.0.kernel().right_to_file(self.name())
    }

    /// The file's number, which is equal for two rights to the same file.
    pub(crate) fn identity(&self) -> io::Result<u64> {
        passable::identity(&self.open()?)
    }
}
