//! `ring-spin`: the shared-memory ring ([`crate::ring`]), whose members never sleep: they look until there is
//! something.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_SPIN: RingTransport = RingTransport {
    slug: "ring-spin",
    title: "Shared-memory ring, spinning",
    mechanism: None,
    systems: system::EVERY,
};
