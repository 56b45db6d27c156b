//! `ring-os-sync`: the shared-memory ring ([`crate::ring`]), whose members sleep on an address
//! (`os_sync_wait_on_address`): macOS 14.4 and later.

use super::family::ring::RingTransport;
use crate::system::System;

pub(crate) static RING_OS_SYNC: RingTransport = RingTransport::new(
    "ring-os-sync",
    "Shared-memory ring, os_sync",
    Some("os-sync"),
    &[System::MacOs.sometimes("since macOS 14.4")],
);
