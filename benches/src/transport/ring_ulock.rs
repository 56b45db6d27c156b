//! `ring-ulock`: the shared-memory ring ([`crate::ring`]), whose members sleep on an address (`__ulock_wait`,
//! private): macOS.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_ULOCK: RingTransport =
    RingTransport::new("ring-ulock", "Shared-memory ring, ulock", Some("ulock"), system::MACOS);
