//! Systems that have no such mechanism for pipes.

use crate::sys::handle::Handle;
use std::io;

pub(super) const MECHANISM: Option<&str> = None;

/// There is never one.
#[derive(Debug)]
pub(super) enum Readiness {}

impl Readiness {
    pub(super) fn of(_stream: &Handle) -> io::Result<Self> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn wait(&self) -> io::Result<()> {
        match *self {}
    }
}
