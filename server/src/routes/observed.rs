//! What the repetitions of one result went through, besides their times.

use roundtrip_wire::{CaseResult, EndObservation, Repetition};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The scenario in which messages have a due time and processor time has a price.
const OPEN_LOOP: &str = "open-loop";

/// What the repetitions of one result went through, taken together.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Observed {
    /// In `open-loop`: messages whose sending began a whole interval late, or more. Null in other scenarios, and when
    /// a repetition does not tell.
    #[schema(required)]
    pub late: Option<u64>,
    /// In `open-loop`: messages received only when the next one was already due, or never. Null as `late` is.
    #[schema(required)]
    pub missed: Option<u64>,
    /// In `open-loop`: processor time of all ends, in user mode and in the kernel, over the messages delivered. Null
    /// in other scenarios, when the system does not tell it of every end, and when nothing was delivered.
    #[schema(required)]
    pub cpu_ns_per_message: Option<u64>,
    /// Each reason to doubt a repetition once, the most frequent first.
    pub disturbed: Vec<DisturbedReason>,
}

/// A reason to doubt repetitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DisturbedReason {
    /// As the agent put it.
    pub reason: String,
    /// How many finished repetitions it was given for.
    pub repetition_count: u64,
}

impl Observed {
    /// Reduces the repetitions of a result.
    pub(crate) fn of(result: &CaseResult) -> Self {
        let disturbed = reasons(&result.repetitions);
        if result.case.scenario.as_str() != OPEN_LOOP {
            return Self { disturbed, ..Self::default() };
        }
        Self {
            late: total(&result.repetitions, |repetition| repetition.late),
            missed: total(&result.repetitions, |repetition| repetition.missed),
            cpu_ns_per_message: cpu_ns_per_message(&result.repetitions),
            disturbed,
        }
    }
}

/// The sum over all repetitions; none unless there are some and each has the value. A report may claim any number: a
/// sum ends at the largest.
fn total(repetitions: &[Repetition], value: impl Fn(&Repetition) -> Option<u64>) -> Option<u64> {
    let (first, rest) = repetitions.split_first()?;
    rest.iter().try_fold(value(first)?, |sum, repetition| Some(sum.saturating_add(value(repetition)?)))
}

fn cpu_ns_per_message(repetitions: &[Repetition]) -> Option<u64> {
    let cpu_ns = total(repetitions, |repetition| {
        let (first, rest) = repetition.ends.split_first()?;
        rest.iter().try_fold(cpu_ns(first)?, |sum, end| Some(sum.saturating_add(cpu_ns(end)?)))
    })?;
    cpu_ns.checked_div(total(repetitions, |repetition| Some(repetition.delivered))?)
}

fn cpu_ns(end: &EndObservation) -> Option<u64> {
    Some(end.user_ns?.saturating_add(end.system_ns?))
}

fn reasons(repetitions: &[Repetition]) -> Vec<DisturbedReason> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for reason in repetitions.iter().flat_map(|repetition| &repetition.disturbed) {
        *counts.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<_> = counts
        .into_iter()
        .map(|(reason, repetition_count)| DisturbedReason { reason: reason.to_owned(), repetition_count })
        .collect();
    // Stable: those of one count stay in the order of their texts.
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.repetition_count));
    reasons
}
