//! `ring-spin-lent`: memory lent over the shared-memory ring ([`crate::ring`]), whose members never sleep.

use super::family::lent_ring::LentRing;
use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_SPIN_LENT: LentRing = LentRing::new(RingTransport::new(
    "ring-spin-lent",
    "Shared-memory ring, lent memory, spinning",
    None,
    system::EVERY,
));
