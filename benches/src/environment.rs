//! The machine and its [`Environment`] as a report carries them.

use crate::sys::fingerprint;
use roundtrip_wire::{Environment, Machine, Slug};

/// The fingerprint of this machine now.
pub fn environment() -> Environment {
    Environment { stable: fingerprint::stable(), conditions: fingerprint::conditions() }
}

/// This machine under a name of one's choice, or its host name.
pub fn machine(name: Option<Slug>) -> Machine {
    Machine {
        slug: name.unwrap_or_else(|| Slug::from_name(&fingerprint::host_name())),
        os: Slug::from_name(std::env::consts::OS),
        arch: Slug::from_name(std::env::consts::ARCH),
    }
}
