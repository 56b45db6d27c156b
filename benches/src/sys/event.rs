//! A counter in the kernel that one process increments and another waits for, without a name.

use super::Unsupported;
use super::handle::Handle;
use std::io;

pub(crate) use imp::support;

/// Creates a counter of zero that each wait decrements.
pub(crate) use imp::create;

/// Increments it, and wakes a waiter.
pub(crate) use imp::raise;

/// Waits until it is above zero, and decrements it.
pub(crate) use imp::wait;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: eventfd(2) with `EFD_SEMAPHORE`.

    use super::*;
    use rustix::event::{EventfdFlags, eventfd};
    use rustix::io::retry_on_intr;

    pub(crate) fn support() -> Result<(), Unsupported> {
        Ok(())
    }

    pub(crate) fn create() -> io::Result<Handle> {
        Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::SEMAPHORE)?)
    }

    #[inline]
    pub(crate) fn raise(event: &Handle) -> io::Result<()> {
        retry_on_intr(|| rustix::io::write(event, &1_u64.to_ne_bytes()))?;
        Ok(())
    }

    #[inline]
    pub(crate) fn wait(event: &Handle) -> io::Result<()> {
        retry_on_intr(|| rustix::io::read(event, &mut [0; 8]))?;
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without an implementation yet.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("eventfd exists only on Linux"))
    }

    missing! {
        pub(crate) fn create() -> Handle;
        pub(crate) fn raise(&Handle) -> ();
        pub(crate) fn wait(&Handle) -> ();
    }
}
