//! What a probe saw, result by result.

use crate::format::{bytes, count};
use roundtrip_stats::Quartiles;
use roundtrip_wire::{CaseResult, EndObservation, SystemCalls};
use std::collections::BTreeMap;

/// System calls named for one end; what is rarer is left to the report.
const CALLS_MAX: usize = 4;

/// Lines on the ends of one result; none when no probe ran.
pub(super) fn lines(result: &CaseResult) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, end) in ["initiator", "responder"].into_iter().enumerate() {
        let ends: Vec<&EndObservation> =
            result.repetitions.iter().filter_map(|repetition| repetition.ends.get(index)).collect();
        let mut seen = calls(&ends);
        seen.extend(counters(&ends));
        if !seen.is_empty() {
            lines.push(format!("{end}: {}", seen.join(", ")));
        }
    }
    lines
}

/// Why counters are missing, each reason once.
pub(super) fn unavailable(results: &[&CaseResult]) -> Vec<String> {
    let mut names_of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let ends = results.iter().flat_map(|result| &result.repetitions).flat_map(|repetition| &repetition.ends);
    for (name, reason) in ends.flat_map(|end| &end.unavailable) {
        let names = names_of.entry(reason).or_default();
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names_of
        .into_iter()
        .map(|(reason, names)| format!("{}: not available: {reason}", names.join(", ")))
        .collect()
}

/// The most frequent calls of the last repetition, which is like the others.
fn calls(ends: &[&EndObservation]) -> Vec<String> {
    let Some(last) = ends.last() else { return Vec::new() };
    last.system_calls.iter().take(CALLS_MAX).map(call).collect()
}

fn call(calls: &SystemCalls) -> String {
    let SystemCalls { name, bytes: moved, count: number } = calls;
    match moved {
        Some(moved) => format!("{} {name} of {}", count(*number), bytes(*moved)),
        None => format!("{} {name}", count(*number)),
    }
}

/// The median over the repetitions of each counter.
fn counters(ends: &[&EndObservation]) -> Vec<String> {
    let mut values: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (name, value) in ends.iter().flat_map(|end| &end.counters) {
        values.entry(name).or_default().push(*value);
    }
    let median = |values: &[u64]| Quartiles::of(values).map_or(0, |quartiles| quartiles.median);
    values.into_iter().map(|(name, values)| format!("{} {name}", count(median(&values)))).collect()
}
