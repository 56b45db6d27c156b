//! How much each machine moved between the sides of a comparison, as canaries and controls show. Sides that one job
//! measured alternately share each minute, so they are not affected.

use super::outcome::Outcome;
use crate::units;
use roundtrip_stats::movement::Reference;
use roundtrip_stats::verdict::Rule;
use roundtrip_wire::movement::{self, Movement, SHOWN_MAX};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use utoipa::ToSchema;

/// A machine with pairs that were not measured alternately.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MachineMovement {
    /// The machine.
    pub machine: String,
    /// How much it moved, with the canaries and controls that moved most. With several runs on a side, the most moved
    /// pair of runs counts. Null: unknown, because both sides have no canary or control in common.
    #[schema(required)]
    pub moved: Option<Movement>,
}

/// The machines of these compared pairs, by name.
pub(super) fn machines<'a>(
    rule: &Rule,
    compared: impl Iterator<Item = (&'a Outcome, &'a Outcome)>,
) -> BTreeMap<&'a str, Option<Movement>> {
    let mut references: BTreeMap<&str, BTreeMap<String, Reference>> = BTreeMap::new();
    let mut runs = HashSet::new();
    for (base, head) in compared.filter(|(base, head)| !base.is_paired_with(head)) {
        let known = references.entry(head.machine()).or_default();
        if runs.insert([base, head].map(Outcome::run_id)) {
            let [base, head] = [base, head].map(Outcome::canaries);
            movement::canaries(base, head).for_each(|canary| keep_most_moved(known, canary));
        }
        control(base, head).into_iter().for_each(|control| keep_most_moved(known, control));
    }
    let moved =
        |references: BTreeMap<String, Reference>| Movement::of(references.into_values().collect(), rule);
    references.into_iter().map(|(machine, references)| (machine, moved(references))).collect()
}

fn keep_most_moved(known: &mut BTreeMap<String, Reference>, found: Reference) {
    let key = format!("{} {}", found.kind, found.name);
    if known.get(&key).is_none_or(|known| known.size() < found.size()) {
        known.insert(key, found);
    }
}

fn control(base: &Outcome, head: &Outcome) -> Option<Reference> {
    let series = head.series();
    if !series.transport.control {
        return None;
    }
    let size = units::size(series.case.message_bytes).replace(units::NO_BREAK, " ");
    let name = format!("{} {size} {}", series.transport.slug, series.case.placement);
    Reference::of_control(name, [base.times_ns(), head.times_ns()])
}

impl MachineMovement {
    pub(super) fn new(machine: &str, moved: Option<Movement>) -> Self {
        let shown = |mut moved: Movement| {
            moved.references.truncate(SHOWN_MAX);
            moved
        };
        Self { machine: machine.to_owned(), moved: moved.map(shown) }
    }
}
