//! A comparison as CSV.

use crate::error::ApiError;
use crate::routes::charts::csv::{Column, Table, cell, text};
use axum::response::Response;
use roundtrip_domain::comparison::{ComparisonPair, MeasuredSide};
use roundtrip_storage::commit::CommitSummary;
use std::sync::Arc;

/// A pair, and the commits of both sides.
struct PairRow {
    pair: ComparisonPair,
    commits: Arc<[CommitSummary; 2]>,
}

const COLUMNS: &[Column<PairRow>] = &[
    ("verdict", |row| row.pair.verdict.to_string()),
    ("transport", |row| row.pair.transport.slug.to_string()),
    ("scenario", |row| row.pair.case.scenario.to_string()),
    ("mode", |row| row.pair.case.mode.to_string()),
    ("placement", |row| row.pair.case.placement.to_string()),
    ("message_bytes", |row| row.pair.case.message_bytes.to_string()),
    ("total_bytes", |row| cell(row.pair.case.total_bytes)),
    ("senders", |row| row.pair.case.senders.unwrap_or(1).to_string()),
    ("peers", |row| row.pair.case.peers.to_string()),
    ("messages", |row| cell(row.pair.case.messages)),
    ("buffer_bytes", |row| cell(row.pair.case.buffer_bytes)),
    ("rate_per_second", |row| cell(row.pair.case.rate_per_second)),
    ("size_profile", |row| cell(row.pair.case.size_profile.as_ref())),
    ("variant", |row| cell(row.pair.case.variant.as_ref())),
    ("benchmark", |row| text(row.pair.case.benchmark.as_deref().unwrap_or_default())),
    ("operations", |row| cell(row.pair.case.operations)),
    ("ratio", |row| cell(row.pair.ratio)),
    ("change", |row| cell(row.pair.change)),
    ("change_low", |row| cell(row.pair.change_interval.map(|[low, _]| low))),
    ("change_high", |row| cell(row.pair.change_interval.map(|[_, high]| high))),
    ("p", |row| cell(row.pair.p)),
    ("p_adjusted", |row| cell(row.pair.p_adjusted)),
    ("t", |row| cell(row.pair.t)),
    ("stars", |row| row.pair.stars.to_owned()),
    ("least_change", |row| cell(row.pair.least_change)),
    ("detectable_change", |row| cell(row.pair.detectable_change)),
    ("undecided", |row| text(row.pair.undecided.as_deref().unwrap_or_default())),
    ("p90_change", |row| cell(row.pair.p90.and_then(|p90| p90.change))),
    ("p90_p_adjusted", |row| cell(row.pair.p90.map(|p90| p90.p_adjusted))),
    ("p90_verdict", |row| cell(row.pair.p90.and_then(|p90| p90.verdict))),
    ("p99_change", |row| cell(row.pair.p99.and_then(|p99| p99.change))),
    ("p99_p_adjusted", |row| cell(row.pair.p99.map(|p99| p99.p_adjusted))),
    ("p99_verdict", |row| cell(row.pair.p99.and_then(|p99| p99.verdict))),
    ("shape_p_adjusted", |row| cell(row.pair.shape.as_ref().map(|shape| shape.p_adjusted))),
    ("shape_changed", |row| cell(row.pair.shape.as_ref().map(|shape| shape.changed))),
    ("shape_difference", |row| text(shape(&row.pair).unwrap_or_default())),
    ("differences", |row| text(&joined(&row.pair.differences))),
    ("reasons", |row| text(&joined(&row.pair.reasons))),
    ("base_commit_sha", |row| row.commits[0].sha.clone()),
    ("base_commit_ordinal", |row| row.commits[0].ordinal.to_string()),
    ("base_machine", |row| cell(base(row).map(|side| &side.machine))),
    ("base_series_id", |row| cell(base(row).map(|side| side.series_id))),
    ("base_run_id", |row| cell(base(row).map(|side| side.run_id))),
    ("base_environment_id", |row| cell(base(row).map(|side| side.environment_id))),
    ("base_work_tree_modified", |row| cell(base(row).map(|side| side.work_tree_modified))),
    ("base_lossy", |row| cell(base(row).map(|side| side.lossy))),
    ("base_p50_ns", |row| cell(base(row).map(|side| side.latency_ns.p50))),
    ("base_p90_ns", |row| cell(base(row).map(|side| side.latency_ns.p90))),
    ("base_p99_ns", |row| cell(base(row).map(|side| side.latency_ns.p99))),
    ("base_repetition_count", |row| cell(base(row).map(|side| side.repetitions.p50_ns.len()))),
    ("base_repetition_p50_q1_ns", |row| cell(base(row).map(|side| side.repetition_p50_ns.q1))),
    ("base_repetition_p50_median_ns", |row| cell(base(row).map(|side| side.repetition_p50_ns.median))),
    ("base_repetition_p50_q3_ns", |row| cell(base(row).map(|side| side.repetition_p50_ns.q3))),
    ("head_commit_sha", |row| row.commits[1].sha.clone()),
    ("head_commit_ordinal", |row| row.commits[1].ordinal.to_string()),
    ("head_machine", |row| cell(head(row).map(|side| &side.machine))),
    ("head_series_id", |row| cell(head(row).map(|side| side.series_id))),
    ("head_run_id", |row| cell(head(row).map(|side| side.run_id))),
    ("head_environment_id", |row| cell(head(row).map(|side| side.environment_id))),
    ("head_work_tree_modified", |row| cell(head(row).map(|side| side.work_tree_modified))),
    ("head_lossy", |row| cell(head(row).map(|side| side.lossy))),
    ("head_p50_ns", |row| cell(head(row).map(|side| side.latency_ns.p50))),
    ("head_p90_ns", |row| cell(head(row).map(|side| side.latency_ns.p90))),
    ("head_p99_ns", |row| cell(head(row).map(|side| side.latency_ns.p99))),
    ("head_repetition_count", |row| cell(head(row).map(|side| side.repetitions.p50_ns.len()))),
    ("head_repetition_p50_q1_ns", |row| cell(head(row).map(|side| side.repetition_p50_ns.q1))),
    ("head_repetition_p50_median_ns", |row| cell(head(row).map(|side| side.repetition_p50_ns.median))),
    ("head_repetition_p50_q3_ns", |row| cell(head(row).map(|side| side.repetition_p50_ns.q3))),
];

fn base(row: &PairRow) -> Option<&MeasuredSide> {
    row.pair.base.as_ref()
}

fn head(row: &PairRow) -> Option<&MeasuredSide> {
    row.pair.head.as_ref()
}

/// The table, one row per pair.
pub(super) fn table(
    pairs: Vec<ComparisonPair>,
    commits: &Arc<[CommitSummary; 2]>,
) -> Result<Response, ApiError> {
    let mut table = Table::new(COLUMNS)?;
    for pair in pairs {
        table.push(&PairRow { pair, commits: Arc::clone(commits) })?;
    }
    table.finish("comparison")
}

fn shape(pair: &ComparisonPair) -> Option<&str> {
    pair.shape.as_ref()?.difference.as_deref()
}

fn joined(texts: &[impl ToString]) -> String {
    texts.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
