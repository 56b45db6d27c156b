//! [`Passable`]: the objects that `handle-passing` passes.

use super::mach::Right;
use crate::sys::handle::Handle;
use crate::sys::mach::System;
use crate::sys::passable;
use std::io::{self, ErrorKind};

/// A system object that one process passes to another. Closed when dropped.
pub enum Passable {
    /// A descriptor, or a Windows handle.
    Handle(Handle),
    /// A right to a Mach port for a descriptor.
    Right(Right<System>),
}

impl Passable {
    /// Creates an object that any transport but Mach messages can pass.
    pub(crate) fn new() -> io::Result<Self> {
        passable::make().map(Self::Handle)
    }

    /// A number that is the same for this object in every process, and rarely equal for two objects.
    pub(crate) fn identity(&self) -> io::Result<u64> {
        match self {
            Self::Handle(handle) => passable::identity(handle),
            Self::Right(right) => right.identity(),
        }
    }

    #[inline]
    pub(crate) fn handle(&self) -> io::Result<&Handle> {
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
