//! The machine and its [`Environment`] for reports.

use crate::sys::fingerprint;
use roundtrip_wire::{Environment, Machine, Slug};

/// Returns the current fingerprint of this machine.
pub fn environment() -> Environment {
    let mut conditions = fingerprint::conditions();
    conditions.insert("suite.tested".into(), tested().unwrap_or("on this system").into());
    Environment { stable: fingerprint::stable(), conditions }
}

/// A warning for systems on which the suite has never run; `None` for tested systems.
pub fn tested() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => None,
        ("linux", _) => Some("only under an emulator of this CPU, never on real hardware"),
        ("windows", _) => Some("only under Wine, never on Windows"),
        _ => Some("only on Linux (portable parts); it was built for this system but never run on it"),
    }
}

/// Returns this machine with a given name, or its host name.
pub fn machine(name: Option<Slug>) -> Machine {
    Machine {
        slug: name.unwrap_or_else(|| Slug::from_name(&fingerprint::host_name())),
        os: Slug::from_name(std::env::consts::OS),
        arch: Slug::from_name(std::env::consts::ARCH),
    }
}
