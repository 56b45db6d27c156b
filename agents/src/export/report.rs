//! The points of a report, with the same numbers as a server computes.

use super::point::{Point, Quantiles, Quartiles, Row, Series};
use crate::failure::Failure;
use roundtrip_stats::distribution::{Decoder, POINT_QUANTILES_PPM};
use roundtrip_stats::{Distribution, InvalidDistribution};
use roundtrip_wire::{CaseResult, Repetition, RunReport, Summary};
use std::path::Path;
use std::sync::Arc;

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
        .map(|repetition| decoder.decode(&repetition.encoded()))
        .collect::<Result<Vec<_>, _>>()?;
    let medians: Vec<u64> = distributions.iter().map(|one| one.quantile_ns(500_000)).collect();
    let merged = Distribution::merged(distributions).zip(roundtrip_stats::Quartiles::of(&medians));
    let Some((merged, medians)) = merged else { return Ok(None) };
    let [p25, p50, p75, p90, p98, p99, p999] = merged.quantiles_ns(POINT_QUANTILES_PPM).map(u64::cast_signed);
    let sum = |value: fn(&Repetition) -> u64| {
        result.repetitions.iter().fold(0_u64, |sum, repetition| sum.saturating_add(value(repetition)))
    };
    let disturbed = result.repetitions.iter().filter(|repetition| !repetition.disturbed.is_empty()).count();
    let whole = |number: u64| i64::try_from(number).ok();
    let delivered = sum(|repetition| repetition.delivered);
    let rate = result.case.bytes_per_second(delivered, sum(|repetition| repetition.elapsed_ns));
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
        sum_ns: whole(sum(|repetition| repetition.sum_ns)),
        count: whole(sum(|repetition| repetition.count)),
        repetition_count: i64::try_from(result.repetitions.len()).ok(),
        failure_count: i64::try_from(result.failures.len()).ok(),
        disturbed_count: i64::try_from(disturbed).ok(),
        repetition_p50_ns: Some(Quartiles {
            q1: medians.q1.cast_signed(),
            median: medians.median.cast_signed(),
            q3: medians.q3.cast_signed(),
        }),
        bytes_per_second: rate.and_then(whole),
        attempted: whole(sum(|repetition| repetition.attempted)),
        accepted: whole(sum(|repetition| repetition.accepted)),
        delivered: whole(delivered),
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
