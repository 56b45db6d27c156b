//! `ring-posix-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on an unnamed POSIX
//! semaphore in the shared memory (`sem_overview(7)`).

use super::family::ring::RingTransport;
use crate::system::System;

pub(crate) static RING_POSIX_SEMAPHORE: RingTransport = RingTransport::new(
    "ring-posix-semaphore",
    "Shared-memory ring, POSIX semaphore",
    Some("posix-semaphore"),
    &[System::FreeBsd.always(), System::Linux.always()],
);
