//! The machine and its [`Environment`] as a report carries them.

use crate::sys::fingerprint;
use roundtrip_wire::{Environment, Machine, Slug};

/// The fingerprint of this machine now.
pub fn environment() -> Environment {
    let mut conditions = fingerprint::conditions();
    conditions.insert("suite.tested".into(), tested().unwrap_or("on this system").into());
    Environment { stable: fingerprint::stable(), conditions }
}

/// What is to be said of a system on which those who make the suite have not run it; none where they have.
pub fn tested() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => None,
        ("linux", _) => Some("under an emulator of this processor, and never on a real one"),
        ("windows", _) => Some("under Wine, and never on Windows itself"),
        _ => Some("on Linux alone, in its portable parts; it was built for this system, and never run on it"),
    }
}

/// This machine under a name of one's choice, or its host name.
pub fn machine(name: Option<Slug>) -> Machine {
    Machine {
        slug: name.unwrap_or_else(|| Slug::from_name(&fingerprint::host_name())),
        os: Slug::from_name(std::env::consts::OS),
        arch: Slug::from_name(std::env::consts::ARCH),
    }
}
