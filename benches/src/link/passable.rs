//! [`Passable`]: what `handle-passing` passes.

use super::mach::Right;
use crate::sys::handle::Handle;
use crate::sys::mach::System;
use crate::sys::passable;
use std::io::{self, ErrorKind};

/// Something of the system that one process gives to another. Closed when dropped.
pub enum Passable {
    /// A descriptor, or a handle of Windows.
    Handle(Handle),
    /// A right of a Mach port that stands for a descriptor.
    Right(Right<System>),
}

impl Passable {
    /// A new one that any transport but Mach messages can pass.
    pub(crate) fn new() -> io::Result<Self> {
        passable::make().map(Self::Handle)
    }

    /// A number that the same thing has in every process, and hardly another one.
    pub(crate) fn identity(&self) -> io::Result<u64> {
        match self {
            Self::Handle(handle) => passable::identity(handle),
            Self::Right(right) => right.identity(),
        }
    }

    #[inline]
    pub(super) fn handle(&self) -> io::Result<&Handle> {
        match self {
            Self::Handle(handle) => Ok(handle),
            Self::Right(_) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    #[inline]
    pub(super) fn right(&self) -> io::Result<&Right<System>> {
        match self {
            Self::Handle(_) => Err(ErrorKind::InvalidInput.into()),
            Self::Right(right) => Ok(right),
        }
    }
}
