//! `ring-futex`: the shared-memory ring ([`crate::ring`]), whose members sleep on a futex (futex(2)): Linux.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_FUTEX: RingTransport = RingTransport {
    slug: "ring-futex",
    title: "Shared-memory ring, futex",
    mechanism: Some("futex"),
    systems: system::LINUX,
};
