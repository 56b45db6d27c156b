//! The measuring [`Machine`], its [`Environment`] at that time, and its [`Canary`] readings.

use crate::Slug;
use crate::hash::{Digest, digest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// One physical or virtual host with an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Machine {
    /// Its name in charts and links, unique on a server.
    pub slug: Slug,
    /// Operating system family: `linux`, `macos`, `windows`, `freebsd`.
    pub os: Slug,
    /// Processor architecture as the compiler names it: `x86-64`, `aarch64`.
    pub arch: Slug,
}

/// A machine's fingerprint at one time.
///
/// Keys are `topic.name` with the unit last, as in `memory.total_bytes`. An unreadable value is absent or has the
/// reason: `not available: no cpufreq (virtual machine)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Environment {
    /// Facts that must match for a comparison: kernel, CPU, governor, mitigations, limits. They are hashed.
    pub stable: BTreeMap<String, String>,
    /// Facts that vary from minute to minute: load, frequency, uptime. They are stored, never hashed.
    pub conditions: BTreeMap<String, String>,
}

impl Environment {
    /// The identity of the stable facts: equal if and only if all facts are equal.
    pub fn digest(&self) -> Digest {
        digest(&self.stable)
    }
}

/// A small benchmark of the machine itself, part of every run. A commit cannot change its result, so a change
/// means that the machine changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Canary {
    /// Which one: `clock-cost`, `clock-step`, `null-syscall`, `cache-line`, `wake`, `memcpy-64k`, `memcpy-64m`.
    pub slug: Slug,
    /// Median of the readings, in nanoseconds per operation. Absent when it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// Smallest reading, in nanoseconds per operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ns: Option<u64>,
    /// The number of readings.
    pub count: u64,
    /// Why there is no reading, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
}
