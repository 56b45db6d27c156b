//! `ring-umtx`: the shared-memory ring ([`crate::ring`]), whose members sleep on an address (`_umtx_op(2)`): FreeBSD.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_UMTX: RingTransport = RingTransport {
    slug: "ring-umtx",
    title: "Shared-memory ring, umtx",
    mechanism: Some("umtx"),
    systems: system::FREEBSD,
};
