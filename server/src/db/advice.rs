//! What the advisor is told: the newest whole distribution of each series.

use sqlx::PgPool;
use uuid::Uuid;

/// The newest point of a series, with its distribution.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of tables point and point_histogram, described there")]
pub struct MeasuredRow {
    pub series_id: i64,
    pub run_id: Uuid,
    pub commit_ordinal: i64,
    pub commit_sha: String,
    pub environment_id: i64,
    pub lossy: bool,
    pub oversubscribed: bool,
    pub latency_ns_sum: i64,
    pub latency_ns_min: i64,
    pub latency_ns_p50: i64,
    pub latency_ns_p98: i64,
    pub latency_ns_p99: i64,
    pub latency_ns_max: i64,
    pub repetition_p50_ns: Vec<i64>,
    pub repetition_p99_ns: Vec<i64>,
    /// None when it is no longer kept.
    pub histogram: Option<Vec<u8>>,
}

/// The newest point on the main line of each series of one machine; series without one are left out.
///
/// # Errors
/// The database does not answer.
pub async fn newest(pool: &PgPool, machine_id: i64, series_ids: &[i64]) -> sqlx::Result<Vec<MeasuredRow>> {
    sqlx::query_as!(
        MeasuredRow,
        r#"select point.series_id, point.run_id, point.commit_ordinal, commit.sha as commit_sha, point.environment_id,
                  point.lossy, point.oversubscribed, point.latency_ns_sum, point.latency_ns_min, point.latency_ns_p50,
                  point.latency_ns_p98, point.latency_ns_p99, point.latency_ns_max, point.repetition_p50_ns,
                  point.repetition_p99_ns, point_histogram.histogram as "histogram?"
           from unnest($2::bigint[]) as wanted (series_id)
           cross join lateral (
               select * from point
               where point.machine_id = $1 and point.series_id = wanted.series_id and point.mainline
               order by point.commit_ordinal desc, point.run_id desc
               limit 1
           ) as point
           join commit on commit.commit_id = point.commit_id
           left join point_histogram
               on point_histogram.machine_id = $1 and point_histogram.series_id = wanted.series_id
              and point_histogram.run_id = point.run_id"#,
        machine_id,
        series_ids,
    )
    .fetch_all(pool)
    .await
}
