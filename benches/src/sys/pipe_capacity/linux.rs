//! Linux: `F_SETPIPE_SZ` and `F_GETPIPE_SZ` (fcntl(2), pipe(7)). Rounded up to a power of two of pages; without
//! privilege at most `/proc/sys/fs/pipe-max-size`.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, fcntl_setpipe_size, pipe_with};
use std::io;

pub(super) fn support(bytes: usize) -> Result<(), Unsupported> {
    let tried =
        pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).and_then(|(_, writer)| set(&writer, bytes));
    tried.map_err(|error| {
        let max = std::fs::read_to_string("/proc/sys/fs/pipe-max-size").unwrap_or_default();
        Unsupported::because(format!(
            "a pipe of {bytes} B is refused ({error}): fs.pipe-max-size is {}",
            max.trim()
        ))
    })
}

pub(super) fn set(pipe: &Handle, bytes: usize) -> io::Result<()> {
    fcntl_setpipe_size(pipe, bytes)?;
    Ok(())
}

pub(super) fn get(pipe: &Handle) -> Option<u64> {
    fcntl_getpipe_size(pipe).ok().map(|bytes| bytes as u64)
}
