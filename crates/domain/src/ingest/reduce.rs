//! Reduces repetitions to the numbers of a point: decodes, checks and merges distributions.

use super::integer::{add, fit};
use crate::error::DomainError;
use roundtrip_stats::distribution::{Decoder, POINT_QUANTILES_PPM};
use roundtrip_stats::{Distribution, InvalidDistribution, Quartiles};
use roundtrip_storage::point::Numbers;
use roundtrip_wire::{Budget, CaseResult, PerMessage, Repetition, RunReport};

/// The numbers of each result, in order; none without a finished repetition.
pub(super) fn reduce(report: &RunReport) -> Result<Vec<Option<Numbers>>, DomainError> {
    let mut decoder = Decoder::default();
    let of_result = |(index, result)| numbers(index, result, &mut decoder);
    report.results.iter().enumerate().map(of_result).collect()
}

pub(crate) fn decode(
    at: impl Fn() -> String,
    repetition: &Repetition,
    decoder: &mut Decoder,
) -> Result<Distribution, DomainError> {
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
        fit(|| format!("{}/{name}", at()), value)?;
    }
    decoder.decode(&repetition.encoded()).map_err(|error| {
        let member = match &error {
            InvalidDistribution::Contradiction { what, .. } => what,
            InvalidDistribution::Samples(_) => "samples",
            _ => "histogram",
        };
        DomainError::InvalidReport { pointer: Some(format!("{}/{member}", at())), detail: error.to_string() }
    })
}

/// The numbers of the result at `position` of a report; none without a finished repetition.
pub(super) fn numbers(
    position: usize,
    result: &CaseResult,
    decoder: &mut Decoder,
) -> Result<Option<Numbers>, DomainError> {
    let mut distributions = Vec::with_capacity(result.repetitions.len());
    let (mut count, mut sum_ns, mut elapsed_ns) = (0, 0, 0);
    let (mut attempted, mut accepted, mut delivered) = (0, 0, 0);
    for (index, repetition) in result.repetitions.iter().enumerate() {
        let at = || format!("/results/{position}/repetitions/{index}");
        let distribution = decode(at, repetition, decoder)?;
        for (name, sum, value) in [
            ("count", &mut count, repetition.count),
            ("sum_ns", &mut sum_ns, repetition.sum_ns),
            ("elapsed_ns", &mut elapsed_ns, repetition.elapsed_ns),
            ("attempted", &mut attempted, repetition.attempted),
            ("accepted", &mut accepted, repetition.accepted),
            ("delivered", &mut delivered, repetition.delivered),
        ] {
            add(|| format!("{}/{name}", at()), sum, value)?;
        }
        distributions.push(distribution);
    }
    // All of these lie between the smallest and the largest time, which fit.
    let ns = |value: u64| value.cast_signed();
    let of_each: Vec<[u64; 3]> =
        distributions.iter().map(|one| one.quantiles_ns([500_000, 900_000, 990_000])).collect();
    let p50s: Vec<u64> = of_each.iter().map(|[p50, ..]| *p50).collect();
    let merged = Distribution::merged(distributions).zip(Quartiles::of(&p50s));
    let Some((merged, medians)) = merged else { return Ok(None) };
    let [p25, p50, p75, p90, p98, p99, p999] = merged.quantiles_ns(POINT_QUANTILES_PPM);
    let bytes_per_second =
        result.case.bytes_per_second(delivered.cast_unsigned(), elapsed_ns.cast_unsigned());
    let budget = Budget::of(result);
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
        latency_ns_p25: ns(p25),
        latency_ns_p50: ns(p50),
        latency_ns_p75: ns(p75),
        latency_ns_p90: ns(p90),
        latency_ns_p98: ns(p98),
        latency_ns_p99: ns(p99),
        latency_ns_p999: ns(p999),
        latency_ns_max: ns(merged.max_ns()),
        repetition_p50_ns_q1: ns(medians.q1),
        repetition_p50_ns_median: ns(medians.median),
        repetition_p50_ns_q3: ns(medians.q3),
        throughput_bytes_per_second: bytes_per_second.and_then(|rate| i64::try_from(rate).ok()),
        repetition_p50_ns: of_each.iter().map(|[p50, ..]| ns(*p50)).collect(),
        repetition_p90_ns: of_each.iter().map(|[_, p90, _]| ns(*p90)).collect(),
        repetition_p99_ns: of_each.iter().map(|[.., p99]| ns(*p99)).collect(),
        oversubscribed: result.oversubscribed,
        budget_ns: budget.map(|budget| budget.parts_ns.into_iter().flat_map(stored).collect()),
        events_per_message: budget.map(|budget| {
            let numbers =
                |event: Option<PerMessage>| event.map_or([None; 3], |event| stored(event).map(Some));
            budget.events.into_iter().flat_map(numbers).collect()
        }),
        histogram: Some(merged.stored_bytes()),
    }))
}

/// The numbers of a figure in a point's columns.
#[expect(clippy::cast_possible_truncation, reason = "seven digits are more than repetitions agree on")]
fn stored(figure: PerMessage) -> [f32; 3] {
    [figure.mean, figure.q1, figure.q3].map(|number| number as f32)
}

pub(super) fn small(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
