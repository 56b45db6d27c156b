//! `ring-futex-lent`: memory lent over the shared-memory ring ([`crate::ring`]), whose members sleep on a futex (futex(2)): Linux.

use super::family::lent_ring::LentRing;
use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_FUTEX_LENT: LentRing = LentRing::new(RingTransport::new(
    "ring-futex-lent",
    "Shared-memory ring, lent memory, futex",
    Some("futex"),
    system::LINUX,
));
