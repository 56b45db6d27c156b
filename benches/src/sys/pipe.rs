//! Anonymous pipes of Unix.

use super::Unsupported;
use super::handle::Handle;
use std::io;

pub(crate) fn support() -> Result<(), Unsupported> {
    if cfg!(unix) {
        return Ok(());
    }
    Err(Unsupported::because("pipe(2): not on Windows, whose pipe of this kind is anonymous-pipe"))
}

/// Reader and writer of a new pipe (pipe(2)), closed in children.
pub(crate) fn pair() -> io::Result<(Handle, Handle)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}
