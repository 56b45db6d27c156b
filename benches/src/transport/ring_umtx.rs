//! `ring-umtx`: the shared-memory ring ([`crate::ring`]), whose members sleep on an address (`_umtx_op(2)`): FreeBSD.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_UMTX: RingTransport =
    RingTransport::new("ring-umtx", "Shared-memory ring, umtx", Some("umtx"), system::FREEBSD);
