//! `ring-os-sync`: the shared-memory ring ([`crate::ring`]), whose members sleep on an address
//! (`os_sync_wait_on_address`): macOS 14.4 and later.

use super::family::ring::RingTransport;
use crate::system::System;

/// See the module.
pub static RING_OS_SYNC: RingTransport = RingTransport {
    slug: "ring-os-sync",
    title: "Shared-memory ring, os_sync",
    mechanism: Some("os-sync"),
    systems: &[System::MacOs.sometimes("since macOS 14.4")],
};
