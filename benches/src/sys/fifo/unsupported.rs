//! Systems that have none.

use crate::sys::Unsupported;
use std::io;
use std::path::Path;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("FIFOs: not on Windows, whose pipe with a name is named-pipe"))
}

pub(super) fn create(_path: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
