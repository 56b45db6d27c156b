//! What changed with the time of a message: processor time, waits and other counters of both ends, which every report has.

use crate::format::signed_nanoseconds as signed_ns;
use roundtrip_stats::shift;
use roundtrip_wire::{CaseResult, EndObservation, Repetition};
use serde::Serialize;

/// The confidence of an interval. A resource changed if its interval excludes 0; each case has eight.
const CONFIDENCE: f64 = 0.99;
/// Smaller changes are left out: as a share of the change of the time,
const LEAST_SHARE: f64 = 0.05;
/// and as a count per message.
const LEAST_COUNT: f64 = 0.05;
/// Some systems count processor time in ticks of a millisecond or more, which say nothing about a message.
const TICK_NS: u64 = 1_000_000;

/// A resource of a message; in `roundtrip`, of a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Resource {
    /// From the first send to the last receipt, divided by the messages.
    ElapsedNs,
    /// Processor time of all ends, in user and kernel mode.
    CpuNs,
    /// The part of it in the kernel.
    KernelNs,
    /// Time ready to run, for which the ends waited for a processor.
    ReadyNs,
    /// Voluntary context switches: an end waited.
    Waits,
    /// Involuntary context switches: another thread got the processor.
    Preemptions,
    PageFaults,
    Migrations,
}

/// A resource that a message needs more or less of than in the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct UsageChange {
    pub(crate) resource: Resource,
    /// The estimates (Hodges and Lehmann) of both sides.
    base: f64,
    head: f64,
    /// The estimated change and its 99 % interval.
    change: f64,
    change_interval: [f64; 2],
}

impl Resource {
    pub(crate) const ALL: [Self; 8] = [
        Self::ElapsedNs,
        Self::CpuNs,
        Self::KernelNs,
        Self::ReadyNs,
        Self::Waits,
        Self::Preemptions,
        Self::PageFaults,
        Self::Migrations,
    ];

    /// The total of a repetition; `None` if an end does not report it.
    fn total(self, repetition: &Repetition) -> Option<u64> {
        let of_end = |end: &EndObservation| match self {
            Self::ElapsedNs => None,
            Self::CpuNs => Some(end.user_ns?.saturating_add(end.system_ns?)),
            Self::KernelNs => end.system_ns,
            Self::ReadyNs => end.ready_ns,
            Self::Waits => end.voluntary_switches,
            Self::Preemptions => end.involuntary_switches,
            Self::PageFaults => end.minor_faults,
            Self::Migrations => end.migrations,
        };
        match self {
            Self::ElapsedNs => Some(repetition.elapsed_ns),
            _ => repetition.ends.iter().try_fold(0_u64, |sum, end| Some(sum.saturating_add(of_end(end)?))),
        }
    }

    /// The totals of the repetitions, and the same per delivered message.
    pub(crate) fn values(self, side: &CaseResult) -> (Vec<u64>, Vec<f64>) {
        let delivered = side.repetitions.iter().filter(|repetition| repetition.delivered > 0);
        let value = |repetition: &Repetition| {
            let total = self.total(repetition)?;
            Some((total, total as f64 / repetition.delivered as f64))
        };
        delivered.filter_map(value).unzip()
    }

    /// Its change between two results, if there is one.
    fn change(self, [base, head]: [&CaseResult; 2]) -> Option<UsageChange> {
        let ((totals, base), (head_totals, head)) = (self.values(base), self.values(head));
        let shift = shift::unpaired(&base, &head, CONFIDENCE)?;
        let change_interval = shift.interval.filter(|[low, high]| *low > 0.0 || *high < 0.0)?;
        let in_ticks =
            totals.iter().chain(&head_totals).filter(|total| total.is_multiple_of(TICK_NS)).count();
        let is_in_ticks = 2 * in_ticks > totals.len() + head_totals.len();
        Some(UsageChange {
            resource: self,
            base: shift::pseudomedian(&base)?,
            head: shift::pseudomedian(&head)?,
            change: shift.estimate,
            change_interval,
        })
        .filter(|_| !self.is_time() || !is_in_ticks)
    }

    fn is_time(self) -> bool {
        matches!(self, Self::ElapsedNs | Self::CpuNs | Self::KernelNs | Self::ReadyNs)
    }
}

/// The resources whose use changed, with the elapsed time first. Empty if the elapsed time did not change.
pub(crate) fn changes(base: &CaseResult, head: &CaseResult) -> Vec<UsageChange> {
    let mut changes: Vec<UsageChange> =
        Resource::ALL.into_iter().filter_map(|resource| resource.change([base, head])).collect();
    let Some(elapsed) = changes.first().filter(|first| first.resource == Resource::ElapsedNs).copied() else {
        return Vec::new();
    };
    changes.retain(|UsageChange { resource, change, .. }| {
        let least = if resource.is_time() { LEAST_SHARE * elapsed.change.abs() } else { LEAST_COUNT };
        change.abs() >= least
    });
    changes
}

/// The unit of a case's figures.
pub(crate) fn unit(result: &CaseResult) -> &'static str {
    if result.case.scenario.as_str() == "roundtrip" { "round trip" } else { "message" }
}

/// The changes in one line: `+3.9 µs per round trip: CPU time +3.6 µs, in the kernel +3.4 µs, waits +1.00`.
pub(crate) fn describe(changes: &[UsageChange], result: &CaseResult) -> Option<String> {
    let (elapsed, resources) = changes.split_first()?;
    let unit = unit(result);
    let time = format!("{} per {unit}", signed_ns(elapsed.change));
    let resources: Vec<String> = resources.iter().map(UsageChange::text).collect();
    (!resources.is_empty()).then(|| format!("{time}: {}", resources.join(", ")))
}

impl UsageChange {
    fn text(&self) -> String {
        let name = match self.resource {
            Resource::ElapsedNs => "time",
            Resource::CpuNs => "CPU time",
            Resource::KernelNs => "in the kernel",
            Resource::ReadyNs => "waiting for a CPU",
            Resource::Waits => "waits",
            Resource::Preemptions => "preemptions",
            Resource::PageFaults => "page faults",
            Resource::Migrations => "migrations",
        };
        match self.resource.is_time() {
            true => format!("{name} {}", signed_ns(self.change)),
            false => format!("{name} {:+.2}", self.change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve repetitions of 100 messages with these resources of a message, and a little noise.
    fn result(elapsed_ns: u64, user_ns: u64, system_ns: u64, waits: u64) -> CaseResult {
        let mut result = crate::golden_report().results.remove(0);
        let like = result.repetitions[0].clone();
        let repetition = |index: u32| {
            let noise = u64::from(index * 7 % 5);
            let end = EndObservation {
                user_ns: Some(100 * user_ns + noise),
                system_ns: Some(100 * system_ns + noise),
                voluntary_switches: Some(100 * waits),
                ready_ns: Some(100 * waits * 500 + noise),
                ..EndObservation::default()
            };
            Repetition {
                index,
                delivered: 100,
                elapsed_ns: 100 * elapsed_ns + noise,
                ends: vec![end],
                ..like.clone()
            }
        };
        result.repetitions = (0..12).map(repetition).collect();
        result
    }

    #[test]
    fn another_system_call_is_time_in_the_kernel_and_a_wait() {
        let (base, head) = (result(8_000, 1_000, 6_000, 2), result(11_900, 1_100, 9_500, 3));
        let found = changes(&base, &head);
        assert_eq!(
            describe(&found, &head).unwrap(),
            "+3.90 µs per round trip: CPU time +3.60 µs, in the kernel +3.50 µs, \
             waiting for a CPU +500 ns, waits +1.00"
        );
        assert_eq!((found[4].base, found[4].head), (2.0, 3.0));
        let back = changes(&head, &base);
        assert!(describe(&back, &head).unwrap().ends_with("waits -1.00"), "{back:?}");
    }

    #[test]
    fn equal_times_need_no_explanation() {
        assert_eq!(changes(&result(8_000, 1_000, 6_000, 2), &result(8_000, 2_000, 6_000, 3)), []);
    }

    #[test]
    fn change_without_another_resource_has_no_text() {
        let (base, head) = (result(8_000, 1_000, 6_000, 2), result(9_000, 1_000, 6_000, 2));
        let found = changes(&base, &head);
        assert_eq!((found.len(), describe(&found, &head)), (1, None));
    }

    #[test]
    fn processor_time_in_ticks_does_not_count() {
        let in_ticks = |mut result: CaseResult, system_ns| {
            for repetition in &mut result.repetitions {
                let end = &mut repetition.ends[0];
                (end.user_ns, end.system_ns) = (Some(10_000_000), Some(system_ns));
            }
            result
        };
        let base = in_ticks(result(8_000, 0, 0, 2), 10_000_000);
        let head = in_ticks(result(11_900, 0, 0, 3), 20_000_000);
        let text = describe(&changes(&base, &head), &head);
        assert_eq!(text.unwrap(), "+3.90 µs per round trip: waiting for a CPU +500 ns, waits +1.00");
    }
}
