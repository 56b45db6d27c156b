//! `ring-win-semaphore`: the shared-memory ring ([`crate::ring`]), whose members sleep on a semaphore object:
//! Windows.

use super::family::ring::RingTransport;
use crate::system;

pub(crate) static RING_WIN_SEMAPHORE: RingTransport = RingTransport::new(
    "ring-win-semaphore",
    "Shared-memory ring, Windows semaphore",
    Some("win-semaphore"),
    system::WINDOWS,
);
