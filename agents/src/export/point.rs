//! [`Row`]: one run's result in one series.

use chrono::{DateTime, Utc};
use roundtrip_wire::{Case, Methodology, Slug, StatedQuantile, TransportInfo};
use serde::Deserialize;
use std::sync::Arc;

/// A row of the file.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) series: Arc<Series>,
    /// Unknown for reports from outside of Git.
    pub(super) committed_at: Option<DateTime<Utc>>,
    pub(super) point: Point,
}

/// What is measured, how and where.
#[derive(Debug, Deserialize)]
pub(super) struct Series {
    /// Its number on the server; absent in reports.
    pub(super) series_id: Option<i64>,
    pub(super) project: Slug,
    pub(super) machine: Slug,
    pub(super) transport: TransportInfo,
    pub(super) case: Case,
    pub(super) methodology: Methodology,
}

impl Series {
    /// The same for each run of the series.
    pub(super) fn digest(&self) -> impl Eq + std::hash::Hash + use<> {
        let Self { project, machine, transport, case, methodology, .. } = self;
        (project.clone(), machine.clone(), case.digest(&transport.slug), methodology.digest())
    }
}

/// A result with samples, or the values that another tool stated: the fields of both that the server's answers have.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Point {
    pub(super) run_id: String,
    /// Absent in reports from outside of Git.
    pub(super) commit_sha: Option<String>,
    pub(super) commit_ordinal: Option<i64>,
    pub(super) work_tree_modified: bool,
    pub(super) measured_at: DateTime<Utc>,
    /// Absent in reports.
    pub(super) environment_id: Option<i64>,
    pub(super) count: Option<i64>,

    // With samples.
    pub(super) latency_ns: Option<Quantiles>,
    pub(super) sum_ns: Option<i64>,
    pub(super) repetition_count: Option<i64>,
    pub(super) failure_count: Option<i64>,
    pub(super) disturbed_count: Option<i64>,
    pub(super) repetition_p50_ns: Option<Quartiles>,
    pub(super) bytes_per_second: Option<i64>,
    pub(super) attempted: Option<i64>,
    pub(super) accepted: Option<i64>,
    pub(super) delivered: Option<i64>,
    pub(super) lossy: Option<bool>,

    // Stated by another tool.
    pub(super) center_ns: Option<i64>,
    pub(super) low_ns: Option<i64>,
    pub(super) high_ns: Option<i64>,
    pub(super) min_ns: Option<i64>,
    pub(super) max_ns: Option<i64>,
    #[serde(default)]
    pub(super) quantiles: Vec<StatedQuantile>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Quantiles {
    pub(super) min: i64,
    pub(super) p25: i64,
    pub(super) p50: i64,
    pub(super) p75: i64,
    pub(super) p90: i64,
    pub(super) p98: i64,
    pub(super) p99: i64,
    pub(super) p999: i64,
    pub(super) max: i64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Quartiles {
    pub(super) q1: i64,
    pub(super) median: i64,
    pub(super) q3: i64,
}

impl Point {
    /// A quantile of the samples, else the stated one.
    pub(super) fn quantile(&self, of_samples: fn(&Quantiles) -> i64, q_ppm: u32) -> Option<i64> {
        let stated = || self.quantiles.iter().find(|stated| stated.q_ppm == q_ppm);
        self.latency_ns.as_ref().map(of_samples).or_else(|| Some(stated()?.ns.cast_signed()))
    }
}

impl Row {
    /// The median, or the stated value, in the unit of the series.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are more than a measurement has")]
    pub(super) fn value(&self) -> Option<f64> {
        let stored = self.point.latency_ns.map(|quantiles| quantiles.p50).or(self.point.center_ns)?;
        Some(stored as f64 / self.series.case.operations.unwrap_or(1).max(1) as f64)
    }
}
