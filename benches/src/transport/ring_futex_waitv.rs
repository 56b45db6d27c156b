//! `ring-futex-waitv`: the shared-memory ring ([`crate::ring`]), whose members sleep on a vector of one futex
//! (`futex_waitv(2)`): Linux. Compare it with `ring-futex` for the cost of the vectorised call.

use super::family::ring::RingTransport;
use crate::system::System;

pub(crate) static RING_FUTEX_WAITV: RingTransport = RingTransport::new(
    "ring-futex-waitv",
    "Shared-memory ring, futex_waitv with one word",
    Some("futex-waitv"),
    &[System::Linux.sometimes("since Linux 5.16")],
);
