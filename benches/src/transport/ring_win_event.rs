//! `ring-win-event`: the shared-memory ring ([`crate::ring`]), whose members sleep on an auto-reset event: Windows.

use super::family::ring::RingTransport;
use crate::system;

/// See the module.
pub static RING_WIN_EVENT: RingTransport = RingTransport {
    slug: "ring-win-event",
    title: "Shared-memory ring, Windows event",
    mechanism: Some("win-event"),
    systems: system::WINDOWS,
};
