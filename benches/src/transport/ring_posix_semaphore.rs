//! `ring-posix-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on an unnamed POSIX
//! semaphore in the shared memory (`sem_overview(7)`).

use super::family::ring::RingTransport;
use crate::system::System;

/// See the module.
pub static RING_POSIX_SEMAPHORE: RingTransport = RingTransport {
    slug: "ring-posix-semaphore",
    title: "Shared-memory ring, POSIX semaphore",
    mechanism: Some("posix-semaphore"),
    systems: &[System::FreeBsd.always(), System::Linux.always()],
};
