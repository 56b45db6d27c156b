//! What may watch the ends while they are measured. It takes part in the figures, so it is part of the methodology.

use std::fmt;

/// A way of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// System calls, their results and their number, seen from outside (ptrace(2); on FreeBSD dtrace(1)).
    Syscalls,
    /// Hardware counters of each end's thread (`perf_event_open(2)`; on FreeBSD hwpmc(4)).
    Counters,
    /// Context switches, migrations and faults of each end's thread (`perf_event_open(2)`).
    Sched,
}

impl Probe {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Syscalls, Self::Counters, Self::Sched];

    /// Its name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Syscalls => "syscalls",
            Self::Counters => "counters",
            Self::Sched => "sched",
        }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.slug())
    }
}
