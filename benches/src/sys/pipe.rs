//! Anonymous pipes on Unix.

use super::Unsupported;
use super::handle::Handle;
use std::io;

pub(crate) fn support() -> Result<(), Unsupported> {
    if cfg!(unix) {
        return Ok(());
    }
    Err(Unsupported::because("Windows has no pipe(2); use anonymous-pipe"))
}

/// Creates a pipe, reader and writer (pipe(2)), closed in children.
pub(crate) fn pair() -> io::Result<(Handle, Handle)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}
