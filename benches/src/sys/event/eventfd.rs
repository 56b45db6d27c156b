//! Linux: eventfd(2) with `EFD_SEMAPHORE`.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use std::io;

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

pub(super) fn create() -> io::Result<Handle> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::SEMAPHORE)?)
}

#[inline]
pub(super) fn raise(event: &Handle) -> io::Result<()> {
    loop {
        match rustix::io::write(event, &1_u64.to_ne_bytes()) {
            Err(Errno::INTR) => {}
            other => return other.map(|_| ()).map_err(io::Error::from),
        }
    }
}

#[inline]
pub(super) fn wait(event: &Handle) -> io::Result<()> {
    loop {
        match rustix::io::read(event, &mut [0; 8]) {
            Err(Errno::INTR) => {}
            other => return other.map(|_| ()).map_err(io::Error::from),
        }
    }
}
