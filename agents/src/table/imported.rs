//! Benchmarks of other tools: times as their files have them.

use super::row::{merged, p50s_ns, uncertainty};
use crate::format::{count, half_width, nanoseconds};
use roundtrip_wire::{CaseResult, Summary};

/// The heads of the columns.
pub(super) const HEADER: [&str; 7] = ["benchmark", "time", "\u{b1}", "min", "max", "runs", "samples"];

/// What the benchmarks of one table have in common: their tool, and what their times are of.
pub(super) fn title(result: &CaseResult) -> String {
    let tool = &result.transport.title;
    let of = match (&result.methodology.statistic, result.case.operations) {
        (None, None) => "median time".to_owned(),
        (None, Some(operations)) => format!("median time of {} operations", count(operations)),
        (Some(statistic), None) => format!("stated without samples: {statistic}"),
        (Some(statistic), Some(operations)) => {
            format!("stated without samples: {statistic} of {} operations", count(operations))
        }
    };
    format!("{tool}, {of}")
}

/// The benchmark, and which of several builds.
pub(super) fn name(result: &CaseResult) -> String {
    let name = result.case.benchmark.clone().unwrap_or_default();
    result.case.variant.as_ref().map_or(name.clone(), |variant| format!("{name} ({variant})"))
}

/// The cells of one result.
pub(super) fn cells(result: &CaseResult) -> crate::Result<Vec<String>> {
    if let Some(summary) = &result.summary {
        return Ok(stated(result, summary));
    }
    let all = merged(&result.repetitions)?;
    let time = |ns: Option<u64>| ns.map(nanoseconds).unwrap_or_default();
    Ok(vec![
        name(result),
        time(all.as_ref().map(|all| all.quantile_ns(500_000))),
        uncertainty(&p50s_ns(result)?),
        time(all.as_ref().map(|all| all.min_ns())),
        time(all.as_ref().map(|all| all.max_ns())),
        count(result.repetitions.len() as u64),
        all.map(|all| count(all.count())).unwrap_or_default(),
    ])
}

fn stated(result: &CaseResult, summary: &Summary) -> Vec<String> {
    let Summary { center_ns, low_ns, high_ns, min_ns, max_ns, count: samples, .. } = summary;
    let time = |ns: &Option<u64>| ns.map(nanoseconds).unwrap_or_default();
    let interval = low_ns.zip(*high_ns).map(|(low, high)| half_width(low, high, *center_ns));
    vec![
        name(result),
        nanoseconds(*center_ns),
        interval.unwrap_or_default(),
        time(min_ns),
        time(max_ns),
        String::new(),
        samples.map(count).unwrap_or_default(),
    ]
}
