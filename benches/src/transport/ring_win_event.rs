//! `ring-win-event`: the shared-memory ring ([`crate::ring`]), whose members sleep on an auto-reset event: Windows.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_WIN_EVENT: RingTransport = RingTransport::new(
    "ring-win-event",
    "Shared-memory ring, Windows event",
    Some("win-event"),
    system::WINDOWS,
);
