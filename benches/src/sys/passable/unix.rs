//! Unix: a pipe's reader, known by the number of its file (fstat(2)).

use crate::sys::handle::Handle;
use rustix::fs::fstat;
use std::io;

pub(super) fn make() -> io::Result<Handle> {
    io::pipe().map(|(reader, _writer)| reader.into())
}

pub(super) fn identity(handle: &Handle) -> io::Result<u64> {
    Ok(fstat(handle)?.st_ino)
}
