//! `ring-futex`: the shared-memory ring ([`crate::ring`]), whose members sleep on a futex (futex(2)): Linux.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_FUTEX: RingTransport =
    RingTransport::new("ring-futex", "Shared-memory ring, futex", Some("futex"), system::LINUX);
