//! `ring-mach-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on a Mach semaphore
//! (`semaphore_timedwait`): macOS, by public calls alone.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_MACH_SEMAPHORE: RingTransport = RingTransport {
    slug: "ring-mach-semaphore",
    title: "Shared-memory ring, Mach semaphore",
    mechanism: Some("mach-semaphore"),
    systems: system::MACOS,
};
