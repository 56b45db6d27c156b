//! From repetitions to the numbers of a point: distributions are decoded, checked and merged.

use super::integer::{add, fit};
use crate::db::point::Numbers;
use crate::error::ApiError;
use roundtrip_stats::{Distribution, Encoded, InvalidDistribution, Quartiles};
use roundtrip_wire::{Case, CaseResult, Repetition, RunReport};

/// The only scenario whose figure of merit is a rate.
const STREAM: &str = "stream";
/// Sums of times are in nanoseconds.
const NS_PER_SECOND: u128 = 1_000_000_000;

/// The numbers of each result, in order; none where no repetition finished.
pub(super) fn reduce(report: &RunReport) -> Result<Vec<Option<Numbers>>, ApiError> {
    let of_result = |(index, result)| numbers(&format!("/results/{index}"), result);
    report.results.iter().enumerate().map(of_result).collect()
}

/// Decodes one repetition; `at` is the JSON pointer to it.
pub(crate) fn decode(at: &str, repetition: &Repetition) -> Result<Distribution, ApiError> {
    for (name, value) in [
        ("count", repetition.count),
        ("min_ns", repetition.min_ns),
        ("max_ns", repetition.max_ns),
        ("sum_ns", repetition.sum_ns),
        ("attempted", repetition.attempted),
        ("accepted", repetition.accepted),
        ("delivered", repetition.delivered),
        ("elapsed_ns", repetition.elapsed_ns),
    ] {
        fit(&format!("{at}/{name}"), value)?;
    }
    let encoded = Encoded {
        histogram: &repetition.histogram,
        samples: repetition.samples.as_deref(),
        count: repetition.count,
        min_ns: repetition.min_ns,
        max_ns: repetition.max_ns,
        sum_ns: repetition.sum_ns,
    };
    Distribution::decode(&encoded).map_err(|error| {
        let member = match &error {
            InvalidDistribution::Contradiction { what, .. } => what,
            InvalidDistribution::Samples(_) => "samples",
            _ => "histogram",
        };
        ApiError::InvalidReport { pointer: Some(format!("{at}/{member}")), detail: error.to_string() }
    })
}

fn numbers(at: &str, result: &CaseResult) -> Result<Option<Numbers>, ApiError> {
    let mut merged: Option<Distribution> = None;
    let mut repetition_p50_ns = Vec::with_capacity(result.repetitions.len());
    let (mut count, mut sum_ns, mut elapsed_ns) = (0, 0, 0);
    let (mut attempted, mut accepted, mut delivered) = (0, 0, 0);
    for (index, repetition) in result.repetitions.iter().enumerate() {
        let at = format!("{at}/repetitions/{index}");
        let distribution = decode(&at, repetition)?;
        for (name, sum, value) in [
            ("count", &mut count, repetition.count),
            ("sum_ns", &mut sum_ns, repetition.sum_ns),
            ("elapsed_ns", &mut elapsed_ns, repetition.elapsed_ns),
            ("attempted", &mut attempted, repetition.attempted),
            ("accepted", &mut accepted, repetition.accepted),
            ("delivered", &mut delivered, repetition.delivered),
        ] {
            add(&format!("{at}/{name}"), sum, value)?;
        }
        repetition_p50_ns.push(distribution.quantile_ns(500_000));
        match &mut merged {
            Some(merged) => merged.merge(&distribution),
            None => merged = Some(distribution),
        }
    }
    let (Some(merged), Some(medians)) = (merged, Quartiles::of(&repetition_p50_ns)) else { return Ok(None) };
    // All of these lie between the smallest and the largest time, which fit.
    let ns = |value: u64| value.cast_signed();
    let quantile = |q_ppm| ns(merged.quantile_ns(q_ppm));
    let disturbed = result.repetitions.iter().filter(|repetition| !repetition.disturbed.is_empty()).count();
    Ok(Some(Numbers {
        lossy: result.is_lossy(),
        repetition_count: small(result.repetitions.len()),
        failure_count: small(result.failures.len()),
        disturbed_count: small(disturbed),
        operation_count: count,
        attempted,
        accepted,
        delivered,
        latency_ns_sum: sum_ns,
        latency_ns_min: ns(merged.min_ns()),
        latency_ns_p25: quantile(250_000),
        latency_ns_p50: quantile(500_000),
        latency_ns_p75: quantile(750_000),
        latency_ns_p90: quantile(900_000),
        latency_ns_p98: quantile(980_000),
        latency_ns_p99: quantile(990_000),
        latency_ns_p999: quantile(999_000),
        latency_ns_max: ns(merged.max_ns()),
        repetition_p50_ns_q1: ns(medians.q1),
        repetition_p50_ns_median: ns(medians.median),
        repetition_p50_ns_q3: ns(medians.q3),
        throughput_bytes_per_second: throughput(&result.case, delivered, elapsed_ns),
        histogram: merged.histogram_bytes(),
    }))
}

/// A number that the limits of the wire format keep small.
pub(super) fn small(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// None where sizes are drawn: `message_bytes` is then the largest, and how many bytes arrived is not known.
fn throughput(case: &Case, delivered: i64, elapsed_ns: i64) -> Option<i64> {
    if case.scenario.as_str() != STREAM || case.size_profile.is_some() {
        return None;
    }
    let bytes = u128::from(delivered.cast_unsigned()).checked_mul(u128::from(case.message_bytes))?;
    let bytes_per_second =
        bytes.checked_mul(NS_PER_SECOND)?.checked_div(u128::from(elapsed_ns.cast_unsigned()))?;
    i64::try_from(bytes_per_second).ok()
}
