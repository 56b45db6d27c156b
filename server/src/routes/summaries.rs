//! Summaries: what other tools stated without samples. They are shown, and take part in no test.

use chrono::{DateTime, Utc};
use roundtrip_storage as db;
use roundtrip_wire::StatedQuantile;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// What a tool stated of one run in one series. Times in nanoseconds, of as many operations as the case says. What the
/// figure is says the methodology's `statistic`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StatedPoint {
    /// Of which run.
    pub run_id: Uuid,
    /// Of which commit.
    pub commit_sha: String,
    /// The commit's place in its project.
    pub commit_ordinal: i64,
    /// True when tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// When the run began.
    pub measured_at: DateTime<Utc>,
    /// The identity of the machine's stable facts.
    pub environment_id: i64,
    /// The figure itself.
    pub center_ns: i64,
    /// Where a stated interval begins.
    #[schema(required)]
    pub low_ns: Option<i64>,
    /// Where it ends.
    #[schema(required)]
    pub high_ns: Option<i64>,
    /// Smallest time.
    #[schema(required)]
    pub min_ns: Option<i64>,
    /// Largest time.
    #[schema(required)]
    pub max_ns: Option<i64>,
    /// Quantiles, ascending.
    pub quantiles: Vec<StatedQuantile>,
    /// How many samples it was made of.
    #[schema(required)]
    pub count: Option<i64>,
}

impl From<db::summary::Row> for StatedPoint {
    fn from(row: db::summary::Row) -> Self {
        Self {
            run_id: row.run_id,
            commit_sha: row.commit_sha,
            commit_ordinal: row.commit_ordinal,
            work_tree_modified: row.work_tree_modified,
            measured_at: row.measured_at,
            environment_id: row.environment_id,
            center_ns: row.latency_ns_center,
            low_ns: row.latency_ns_low,
            high_ns: row.latency_ns_high,
            min_ns: row.latency_ns_min,
            max_ns: row.latency_ns_max,
            quantiles: row.quantiles.0,
            count: row.operation_count,
        }
    }
}
