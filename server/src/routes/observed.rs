//! Observations of a result's repetitions, in addition to times.

use roundtrip_wire::{CaseResult, Delivery, Repetition};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The scenario in which messages have a due time, and processor time is reported.
const OPEN_LOOP: &str = "open-loop";

/// Observations over all repetitions of a result.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Observed {
    /// In `open-loop`: messages sent a whole interval late or more. Null in other scenarios, or if a repetition lacks
    /// it.
    #[schema(required)]
    pub late: Option<u64>,
    /// In `open-loop`: messages received only when the next one was already due, or never. Null as `late` is.
    #[schema(required)]
    pub missed: Option<u64>,
    /// In `open-loop`: processor time of all ends (user and kernel) per delivered message. Null in other scenarios, if
    /// unavailable for an end, or if nothing was delivered.
    #[schema(required)]
    pub cpu_ns_per_message: Option<u64>,
    /// The distinct reasons to doubt repetitions, most frequent first.
    pub disturbed: Vec<DisturbedReason>,
    /// Deliveries to each receiver, over all repetitions. Empty if unknown.
    pub deliveries: Vec<Delivery>,
    /// There were more threads than processors, so times include waiting for a processor.
    pub oversubscribed: bool,
}

/// A reason to doubt repetitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct DisturbedReason {
    /// The reason, as reported by the agent.
    pub reason: String,
    /// The number of finished repetitions with this reason.
    pub repetition_count: u64,
}

impl Observed {
    /// Summarises the repetitions of a result.
    pub(crate) fn from_result(result: &CaseResult) -> Self {
        let of_all = Self {
            disturbed: reasons(&result.repetitions),
            deliveries: deliveries(&result.repetitions),
            oversubscribed: result.oversubscribed,
            ..Self::default()
        };
        if result.case.scenario.as_str() != OPEN_LOOP {
            return of_all;
        }
        Self {
            late: total(&result.repetitions, |repetition| repetition.late),
            missed: total(&result.repetitions, |repetition| repetition.missed),
            cpu_ns_per_message: result.cpu_ns_per_message(),
            ..of_all
        }
    }
}

/// The sum over all repetitions; `None` if there are none or one lacks the value. Reports can have any number, so
/// sums saturate.
fn total(repetitions: &[Repetition], value: impl Fn(&Repetition) -> Option<u64>) -> Option<u64> {
    let (first, rest) = repetitions.split_first()?;
    rest.iter().try_fold(value(first)?, |sum, repetition| Some(sum.saturating_add(value(repetition)?)))
}

/// The sums per receiver; empty if the number of receivers differs between repetitions, because they are identified
/// by position.
fn deliveries(repetitions: &[Repetition]) -> Vec<Delivery> {
    let receivers =
        |repetition: &Repetition| repetition.ends.iter().filter_map(|end| end.delivery).collect::<Vec<_>>();
    let Some((first, rest)) = repetitions.split_first() else { return Vec::new() };
    let mut sums = receivers(first);
    for repetition in rest {
        let more = receivers(repetition);
        if more.len() != sums.len() {
            return Vec::new();
        }
        for (sum, delivery) in sums.iter_mut().zip(more) {
            *sum = Delivery {
                delivered: sum.delivered.saturating_add(delivery.delivered),
                lost: sum.lost.saturating_add(delivery.lost),
                duplicated: sum.duplicated.saturating_add(delivery.duplicated),
                out_of_order: sum.out_of_order.saturating_add(delivery.out_of_order),
                torn: sum.torn.saturating_add(delivery.torn),
            };
        }
    }
    sums
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
    // The sort is stable: reasons with equal counts stay in alphabetical order.
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.repetition_count));
    reasons
}
