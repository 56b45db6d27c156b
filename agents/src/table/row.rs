//! One result as the cells of a row.

use super::shape::shape;
use super::{imported, many};
use crate::failure::Failure;
use crate::format::{bytes, count, half_width, nanoseconds};
use roundtrip_stats::comparison::CONFIDENCE_PPM;
use roundtrip_stats::distribution::Encoded;
use roundtrip_stats::{Distribution, Quartiles, interval};
use roundtrip_wire::{CaseResult, EndObservation, Repetition};
use std::fmt::Write as _;

/// Heads of the columns of every scenario.
const HEADER: [&str; 10] =
    ["transport", "message", "p50", "\u{b1}", "p98", "p99", "max", "distribution", "rate", "delivered"];

/// Heads of the further columns of `open-loop`.
const OPEN_LOOP_HEADER: [&str; 3] = ["late", "missed", "cpu a message"];

/// Columns that hold words; all others hold numbers.
const WORDS: [&str; 8] =
    ["benchmark", "transport", "distribution", "delivered", "waits", "wakes", "when full", "storage"];

/// The heads of the columns for results like this one.
pub(crate) fn header(result: Option<&&CaseResult>) -> Vec<&'static str> {
    if result.is_some_and(|result| result.case.benchmark.is_some()) {
        return imported::HEADER.into();
    }
    if result.is_some_and(|result| result.case.messages.is_some()) {
        return many::HEADER.into();
    }
    let is_open_loop = result.is_some_and(|result| result.case.scenario.as_str() == "open-loop");
    let further = if is_open_loop { &OPEN_LOOP_HEADER[..] } else { &[] };
    HEADER.into_iter().chain(further.iter().copied()).collect()
}

/// Whether a column holds numbers.
pub(crate) fn is_number(head: &str) -> bool {
    !WORDS.contains(&head)
}

/// The cells of one result, or why it has none.
pub(crate) fn row(result: &CaseResult) -> crate::Result<Result<Vec<String>, String>> {
    if result.case.benchmark.is_some() {
        return imported::cells(result).map(Ok);
    }
    let Some(all) = merged(&result.repetitions)? else {
        let reason =
            result.failures.first().map_or("no repetition finished", |failure| failure.reason.as_str());
        return Ok(Err(format!("failed: {reason}")));
    };
    if result.case.messages.is_some() {
        return Ok(Ok(many::cells(result)));
    }
    let mut cells = vec![transport(result), message(result)];
    cells.push(nanoseconds(all.quantile_ns(500_000)));
    cells.push(uncertainty(&p50s_ns(result)?));
    for q_ppm in [980_000, 990_000, 1_000_000] {
        cells.push(nanoseconds(all.quantile_ns(q_ppm)));
    }
    cells.push(shape(&all));
    cells.push(rate(result).unwrap_or_default());
    cells.push(delivered(result));
    if result.case.scenario.as_str() == "open-loop" {
        cells.extend(open_loop(result));
    }
    Ok(Ok(cells))
}

/// The p50 of each repetition, in nanoseconds.
///
/// # Errors
/// When a histogram cannot be read.
pub(crate) fn p50s_ns(result: &CaseResult) -> crate::Result<Vec<u64>> {
    result.repetitions.iter().map(|repetition| Ok(decode(repetition)?.quantile_ns(500_000))).collect()
}

/// The transport, and which of several programs of it.
pub(super) fn transport(result: &CaseResult) -> String {
    let slug = &result.transport.slug;
    result.case.variant.as_ref().map_or_else(|| slug.to_string(), |variant| format!("{slug} ({variant})"))
}

pub(super) fn message(result: &CaseResult) -> String {
    match &result.case.size_profile {
        Some(profile) => profile.to_string(),
        None => bytes(result.case.message_bytes),
    }
}

/// Half the width of the 95 % interval of the median over the repetitions' p50, as a share of that median; empty with
/// fewer than six repetitions, which have no such interval.
pub(super) fn uncertainty(p50s_ns: &[u64]) -> String {
    let interval = interval::median(p50s_ns, CONFIDENCE_PPM);
    interval.map_or(String::new(), |interval| half_width(interval.low, interval.high, interval.median))
}

/// All repetitions together, as the charts show them.
pub(super) fn merged(repetitions: &[Repetition]) -> crate::Result<Option<Distribution>> {
    let distributions = repetitions.iter().map(decode).collect::<crate::Result<Vec<_>>>()?;
    Ok(Distribution::merged(distributions))
}

/// The distribution of one repetition.
///
/// # Errors
/// When its histogram cannot be read.
pub(crate) fn decode(repetition: &Repetition) -> crate::Result<Distribution> {
    Distribution::decode(&Encoded {
        histogram: &repetition.histogram,
        samples: repetition.samples.as_deref(),
        count: repetition.count,
        min_ns: repetition.min_ns,
        max_ns: repetition.max_ns,
        sum_ns: repetition.sum_ns,
    })
    .map_err(|error| Failure::Other(format!("repetition {}: {error}", repetition.index)))
}

/// Payload bytes a second in `stream`, descriptors a second in `handle-passing`, messages a second where several are on
/// their way: the median over repetitions; where a repetition is a single operation also their quartiles, because nothing
/// else shows their spread.
fn rate(result: &CaseResult) -> Option<String> {
    let Quartiles { q1, median, q3 } = rates_per_second(result)?;
    let unit = |rate: u64| match result.case.scenario.as_str() {
        "stream" => bytes(rate),
        _ => count(rate),
    };
    Some(if result.repetitions.iter().all(|repetition| repetition.count == 1) {
        format!("{}/s ({} to {})", unit(median), unit(q1), unit(q3))
    } else {
        format!("{}/s", unit(median))
    })
}

/// Quartiles over the repetitions of what goes through in a second: bytes in `stream`, descriptors in `handle-passing`,
/// messages where several are on their way.
pub(super) fn rates_per_second(result: &CaseResult) -> Option<Quartiles> {
    let total = result.case.total_bytes.or((result.methodology.window > 1).then_some(1))?;
    let per_second = |repetition: &Repetition| {
        let operations = u128::from(total) * u128::from(repetition.count);
        u64::try_from(operations * 1_000_000_000 / u128::from(repetition.sum_ns.max(1))).ok()
    };
    let rates: Vec<u64> = result.repetitions.iter().filter_map(per_second).collect();
    Quartiles::of(&rates)
}

/// Late sends, missed receipts, and processor time of both ends a message.
fn open_loop(result: &CaseResult) -> [String; 3] {
    let sum = |of: fn(&Repetition) -> Option<u64>| -> Option<u64> { result.repetitions.iter().map(of).sum() };
    let cpu_ns: Option<u64> = result
        .repetitions
        .iter()
        .flat_map(|repetition| &repetition.ends)
        .map(|EndObservation { user_ns, system_ns, .. }| Some((*user_ns)? + (*system_ns)?))
        .sum();
    let delivered: u64 = result.repetitions.iter().map(|repetition| repetition.delivered).sum();
    [
        sum(|repetition| repetition.late).map(count).unwrap_or_default(),
        sum(|repetition| repetition.missed).map(count).unwrap_or_default(),
        cpu_ns.and_then(|cpu_ns| cpu_ns.checked_div(delivered)).map(nanoseconds).unwrap_or_default(),
    ]
}

/// Whether all arrived, and what else is to be said.
pub(super) fn delivered(result: &CaseResult) -> String {
    let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum::<u64>();
    let (attempted, delivered) = (sum(|r| r.attempted), sum(|r| r.delivered));
    let text = if result.is_lossy() { format!("LOSSY {delivered}/{attempted}") } else { "all".into() };
    text + &remarks(result)
}

/// Repetitions that failed, and that are suspect.
pub(super) fn remarks(result: &CaseResult) -> String {
    let mut text = String::new();
    if !result.failures.is_empty() {
        let _ = write!(text, ", {} failed", result.failures.len());
    }
    let disturbed = result.repetitions.iter().filter(|repetition| !repetition.disturbed.is_empty()).count();
    if disturbed > 0 {
        let _ = write!(text, ", {disturbed} disturbed");
    }
    text
}
