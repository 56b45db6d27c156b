//! The points of a report, with the same numbers as a server computes.

use super::point::{Point, Quantiles, Quartiles, Row, Series};
use crate::failure::Failure;
use roundtrip_stats::distribution::Decoder;
use roundtrip_stats::{Distribution, Encoded, InvalidDistribution};
use roundtrip_wire::{Case, CaseResult, Repetition, RunReport, Summary};
use std::path::Path;
use std::sync::Arc;

const NS_PER_SECOND: u128 = 1_000_000_000;

/// A row for each result with values.
///
/// # Errors
/// A distribution is invalid.
pub(super) fn rows(report: &RunReport) -> Result<Vec<Row>, InvalidDistribution> {
    let mut decoder = Decoder::default();
    let mut rows = Vec::new();
    for result in &report.results {
        let Some(point) = point(report, result, &mut decoder)? else { continue };
        let series = Series {
            series_id: None,
            project: report.project.clone(),
            machine: report.machine.slug.clone(),
            transport: result.transport.clone(),
            case: result.case.clone(),
            methodology: result.methodology.clone(),
        };
        let committed_at = (!report.commit.is_absent()).then_some(report.commit.committed_at);
        rows.push(Row { series: Arc::new(series), committed_at, point });
    }
    Ok(rows)
}

pub(super) fn invalid(path: &Path, error: &InvalidDistribution) -> Failure {
    Failure::Usage(format!("{} has an invalid distribution: {error}", path.display()))
}

/// None for a result that is unsupported or failed.
fn point(
    report: &RunReport,
    result: &CaseResult,
    decoder: &mut Decoder,
) -> Result<Option<Point>, InvalidDistribution> {
    let commit = Some(&report.commit).filter(|commit| !commit.is_absent());
    let of_run = Point {
        run_id: report.run_id.to_string(),
        commit_sha: commit.map(|commit| commit.sha.to_string()),
        commit_ordinal: commit.and_then(|commit| commit.first_parent_ordinal).map(u64::cast_signed),
        work_tree_modified: report.work_tree_modified,
        measured_at: report.started_at,
        ..Point::default()
    };
    if let Some(summary) = &result.summary {
        return Ok(Some(stated(summary, of_run)));
    }
    let distributions = result
        .repetitions
        .iter()
        .map(|repetition| decoder.decode(&encoded(repetition)))
        .collect::<Result<Vec<_>, _>>()?;
    let medians: Vec<u64> = distributions.iter().map(|one| one.quantile_ns(500_000)).collect();
    let merged = Distribution::merged(distributions).zip(roundtrip_stats::Quartiles::of(&medians));
    let Some((merged, medians)) = merged else { return Ok(None) };
    let [p25, p50, p75, p90, p98, p99, p999] = merged
        .quantiles_ns([250_000, 500_000, 750_000, 900_000, 980_000, 990_000, 999_000])
        .map(u64::cast_signed);
    let sum = |value: fn(&Repetition) -> u64| {
        let sum =
            result.repetitions.iter().fold(0_u64, |sum, repetition| sum.saturating_add(value(repetition)));
        i64::try_from(sum).ok()
    };
    let disturbed = result.repetitions.iter().filter(|repetition| !repetition.disturbed.is_empty()).count();
    let delivered = sum(|repetition| repetition.delivered);
    Ok(Some(Point {
        latency_ns: Some(Quantiles {
            min: merged.min_ns().cast_signed(),
            p25,
            p50,
            p75,
            p90,
            p98,
            p99,
            p999,
            max: merged.max_ns().cast_signed(),
        }),
        sum_ns: sum(|repetition| repetition.sum_ns),
        count: sum(|repetition| repetition.count),
        repetition_count: i64::try_from(result.repetitions.len()).ok(),
        failure_count: i64::try_from(result.failures.len()).ok(),
        disturbed_count: i64::try_from(disturbed).ok(),
        repetition_p50_ns: Some(Quartiles {
            q1: medians.q1.cast_signed(),
            median: medians.median.cast_signed(),
            q3: medians.q3.cast_signed(),
        }),
        bytes_per_second: bytes_per_second(&result.case, delivered, sum(|repetition| repetition.elapsed_ns)),
        attempted: sum(|repetition| repetition.attempted),
        accepted: sum(|repetition| repetition.accepted),
        delivered,
        lossy: Some(result.is_lossy()),
        ..of_run
    }))
}

fn stated(summary: &Summary, of_run: Point) -> Point {
    let ns = |value: Option<u64>| value.map(u64::cast_signed);
    Point {
        center_ns: Some(summary.center_ns.cast_signed()),
        low_ns: ns(summary.low_ns),
        high_ns: ns(summary.high_ns),
        min_ns: ns(summary.min_ns),
        max_ns: ns(summary.max_ns),
        quantiles: summary.quantiles.clone(),
        count: ns(summary.count),
        ..of_run
    }
}

fn encoded(repetition: &Repetition) -> Encoded<'_> {
    Encoded {
        histogram: &repetition.histogram,
        samples: repetition.samples.as_deref(),
        count: repetition.count,
        min_ns: repetition.min_ns,
        max_ns: repetition.max_ns,
        sum_ns: repetition.sum_ns,
    }
}

/// Payload per second in `stream`. Unknown with a size profile: `message_bytes` is then the largest size.
fn bytes_per_second(case: &Case, delivered: Option<i64>, elapsed_ns: Option<i64>) -> Option<i64> {
    if case.scenario.as_str() != "stream" || case.size_profile.is_some() {
        return None;
    }
    let whole = |number: Option<i64>| Some(u128::from(number?.cast_unsigned()));
    let bytes = whole(delivered)?.checked_mul(u128::from(case.message_bytes))?;
    i64::try_from(bytes.checked_mul(NS_PER_SECOND)?.checked_div(whole(elapsed_ns)?)?).ok()
}
