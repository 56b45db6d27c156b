//! The result of one repetition, for any transport or program.

use super::peers::Report;
use super::probed::Inside;
use super::totals::{self, Totals};
use crate::definition::PlannedCase;
use crate::scenario::Pattern;
use crate::sys::Unsupported;
use crate::sys::profiling::Profile;
use roundtrip_stats::Distribution;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Measured {
    pub(super) distribution: Distribution,
    /// Counts; the samples are in the distribution.
    pub(super) totals: Totals,
    /// Measured facts about the channel; key names end with the unit.
    pub(super) counters: BTreeMap<String, u64>,
    /// Facts reported by a program.
    pub(super) facts: BTreeMap<String, String>,
    pub(super) conditions: BTreeMap<String, u64>,
    pub(super) disturbed: Vec<String>,
    /// See [`roundtrip_wire::Repetition::log_ratio_ppb`].
    pub(super) log_ratio_ppb: Option<i64>,
    /// With the probe `profile`.
    pub(super) profile: Option<Profile>,
    /// Of a program, with any probe.
    pub(super) inside: Inside,
}

#[derive(Debug)]
pub(super) enum NotMeasured {
    Failed(String),
    /// A program reports that it cannot measure this case.
    Unsupported(Unsupported),
}

impl From<String> for NotMeasured {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl Measured {
    pub(super) fn from_peers(case: &PlannedCase, report: Report) -> Result<Self, NotMeasured> {
        let Report { ends, conditions, disturbed, profile } = report;
        let mut counters = BTreeMap::new();
        if let [initiator, .., responder] = &ends[..] {
            for (name, bytes) in [
                ("effective_send_buffer_bytes", initiator.buffers.send_bytes),
                ("effective_receive_buffer_bytes", responder.buffers.receive_bytes),
            ] {
                counters.extend(bytes.map(|bytes| (name.to_owned(), bytes)));
            }
        }
        let mut totals = match case.scenario.pattern() {
            Pattern::Pair(_) => totals::from_pair(ends),
            Pattern::Many(_) => totals::from_many(ends),
        };
        let samples_ns = std::mem::take(&mut totals.samples_ns);
        let distribution =
            Distribution::of_samples(samples_ns).ok_or_else(|| "no operations recorded".to_owned())?;
        let facts = BTreeMap::new();
        Ok(Self {
            distribution,
            totals,
            counters,
            facts,
            conditions,
            disturbed,
            log_ratio_ppb: None,
            profile,
            inside: Inside::default(),
        })
    }
}
