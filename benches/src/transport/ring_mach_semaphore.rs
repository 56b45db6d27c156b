//! `ring-mach-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on a Mach semaphore
//! (`semaphore_wait`): macOS, only with public calls.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_MACH_SEMAPHORE: RingTransport = RingTransport::new(
    "ring-mach-semaphore",
    "Shared-memory ring, Mach semaphore",
    Some("mach-semaphore"),
    system::MACOS,
);
