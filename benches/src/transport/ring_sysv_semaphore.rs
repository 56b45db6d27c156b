//! `ring-sysv-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on a System V semaphore
//! (`semop(2)`).

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_SYSV_SEMAPHORE: RingTransport = RingTransport::new(
    "ring-sysv-semaphore",
    "Shared-memory ring, System V semaphore",
    Some("sysv-semaphore"),
    system::UNIX,
);
