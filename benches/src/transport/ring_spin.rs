//! `ring-spin`: the shared-memory ring ([`crate::ring`]), whose members never sleep: they check until there is a
//! message.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_SPIN: RingTransport =
    RingTransport::new("ring-spin", "Shared-memory ring, spinning", None, system::EVERY);
