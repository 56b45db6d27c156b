//! `ring-win-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on a semaphore object:
//! Windows.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_WIN_SEMAPHORE: RingTransport = RingTransport {
    slug: "ring-win-semaphore",
    title: "Shared-memory ring, Windows semaphore",
    mechanism: Some("win-semaphore"),
    systems: system::WINDOWS,
};
