//! Probes that observe the ends during measurement. They affect results, so they are part of the methodology.

use std::fmt;

/// A kind of probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// System calls, their results and their number, observed from outside (ptrace(2); on FreeBSD, dtrace(1)).
    Syscalls,
    /// Hardware counters of each end's thread (`perf_event_open(2)`; on FreeBSD, hwpmc(4)).
    Counters,
    /// Context switches, migrations and faults of each end's thread (`perf_event_open(2)`).
    Sched,
    /// Call stacks on a processor and while waiting, sampled from outside (`perf_event_open(2)`).
    Profile,
}

impl Probe {
    /// All probes.
    pub const ALL: [Self; 4] = [Self::Syscalls, Self::Counters, Self::Sched, Self::Profile];

    /// Returns its name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Syscalls => "syscalls",
            Self::Counters => "counters",
            Self::Sched => "sched",
            Self::Profile => "profile",
        }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.slug())
    }
}
