//! `ring-ulock`: the shared-memory ring ([`crate::ring`]), whose members sleep on an address (`__ulock_wait`,
//! private): macOS.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_ULOCK: RingTransport = RingTransport {
    slug: "ring-ulock",
    title: "Shared-memory ring, ulock",
    mechanism: Some("ulock"),
    systems: system::MACOS,
};
