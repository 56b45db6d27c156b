//! What the repetitions of one result went through, besides their times.

use roundtrip_wire::{CaseResult, Delivery, Repetition};
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
    /// What became of the messages at each receiver, over all repetitions. Empty where they do not tell.
    pub deliveries: Vec<Delivery>,
    /// More threads took part than there were processors for them: waiting for one is part of the times.
    pub oversubscribed: bool,
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

/// The sum over all repetitions; none unless there are some and each has the value. A report may claim any number: a
/// sum ends at the largest.
fn total(repetitions: &[Repetition], value: impl Fn(&Repetition) -> Option<u64>) -> Option<u64> {
    let (first, rest) = repetitions.split_first()?;
    rest.iter().try_fold(value(first)?, |sum, repetition| Some(sum.saturating_add(value(repetition)?)))
}

/// The sums of each receiver. Which of several it is shows in its place alone, so there are none unless as many tell
/// in every repetition.
fn deliveries(repetitions: &[Repetition]) -> Vec<Delivery> {
    let told =
        |repetition: &Repetition| repetition.ends.iter().filter_map(|end| end.delivery).collect::<Vec<_>>();
    let Some((first, rest)) = repetitions.split_first() else { return Vec::new() };
    let mut sums = told(first);
    for repetition in rest {
        let more = told(repetition);
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
    // Stable: those of one count stay in the order of their texts.
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.repetition_count));
    reasons
}
