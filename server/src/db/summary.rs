//! Summaries: figures that other tools stated without samples. Beside the points, never among them.

use super::point::{Placement, SeriesKey};
use chrono::{DateTime, Utc};
use roundtrip_wire::{StatedQuantile, Summary};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// A stored summary.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table summary, described there")]
pub struct Row {
    pub series_id: i64,
    pub run_id: Uuid,
    pub commit_id: i64,
    pub commit_sha: String,
    pub commit_ordinal: i64,
    pub environment_id: i64,
    pub work_tree_modified: bool,
    pub latency_ns_center: i64,
    pub latency_ns_low: Option<i64>,
    pub latency_ns_high: Option<i64>,
    pub latency_ns_min: Option<i64>,
    pub latency_ns_max: Option<i64>,
    pub quantiles: Json<Vec<StatedQuantile>>,
    pub operation_count: Option<i64>,
    pub measured_at: DateTime<Utc>,
}

macro_rules! select_summaries {
    ($from:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"select summary.series_id, summary.run_id, summary.commit_id, commit.sha as commit_sha,
                      summary.commit_ordinal, summary.environment_id, summary.work_tree_modified,
                      summary.latency_ns_center, summary.latency_ns_low, summary.latency_ns_high,
                      summary.latency_ns_min, summary.latency_ns_max,
                      summary.quantiles as "quantiles: Json<Vec<StatedQuantile>>", summary.operation_count,
                      summary.measured_at
               from "# + $from,
            $($argument),+
        )
    };
}

/// The newest summaries of each series, in ascending order of commits, then of the beginning of their runs.
///
/// # Errors
/// The database does not answer.
pub async fn newest(pool: &PgPool, series: &[SeriesKey], limit: i64) -> sqlx::Result<Vec<Row>> {
    let (machine_ids, series_ids) = columns(series);
    select_summaries!(
        "unnest($1::bigint[], $2::bigint[]) as wanted (machine_id, series_id)
         cross join lateral (
             select * from summary
             where summary.machine_id = wanted.machine_id and summary.series_id = wanted.series_id
             order by summary.commit_ordinal desc, summary.measured_at desc, summary.run_id desc
             limit $3
         ) as summary
         join commit on commit.commit_id = summary.commit_id
         order by summary.series_id, summary.commit_ordinal, summary.measured_at, summary.run_id",
        &machine_ids,
        &series_ids,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The summaries of one run in some series.
///
/// # Errors
/// The database does not answer.
pub async fn of_run(pool: &PgPool, run_id: Uuid, series_ids: &[i64]) -> sqlx::Result<Vec<Row>> {
    select_summaries!(
        "run
         join commit on commit.commit_id = run.commit_id
         join summary on summary.machine_id = run.machine_id and summary.commit_ordinal = commit.ordinal
                     and summary.run_id = run.run_id
         where run.run_id = $1 and summary.series_id = any($2)",
        run_id,
        series_ids,
    )
    .fetch_all(pool)
    .await
}

/// How many summaries each series has; series without any are left out.
///
/// # Errors
/// The database does not answer.
pub async fn counts(pool: &PgPool, series: &[SeriesKey]) -> sqlx::Result<Vec<(i64, i64)>> {
    let (machine_ids, series_ids) = columns(series);
    let rows = sqlx::query!(
        r#"select summary.series_id, count(*) as "count!"
           from unnest($1::bigint[], $2::bigint[]) as wanted (machine_id, series_id)
           join summary on summary.machine_id = wanted.machine_id and summary.series_id = wanted.series_id
           group by summary.series_id"#,
        &machine_ids,
        &series_ids,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.count)).collect())
}

/// Stores the summaries of one run, each with its series. All numbers have been checked to fit.
///
/// # Errors
/// The database does not answer.
pub async fn insert(
    connection: &mut PgConnection,
    placement: Placement,
    summaries: &[(i64, &Summary)],
) -> sqlx::Result<()> {
    if summaries.is_empty() {
        return Ok(());
    }
    let series_ids: Vec<i64> = summaries.iter().map(|(series_id, _)| *series_id).collect();
    let number = |of: fn(&Summary) -> Option<u64>| {
        summaries.iter().map(|(_, summary)| of(summary).map(u64::cast_signed)).collect::<Vec<_>>()
    };
    let centers: Vec<i64> = summaries.iter().map(|(_, summary)| summary.center_ns.cast_signed()).collect();
    let quantiles: Vec<_> = summaries.iter().map(|(_, summary)| Json(&summary.quantiles)).collect();
    sqlx::query!(
        "insert into summary (
             machine_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified, measured_at,
             series_id, latency_ns_center, latency_ns_low, latency_ns_high, latency_ns_min, latency_ns_max,
             operation_count, quantiles
         )
         select $1, $2, $3, $4, $5, $6, $7, given.*
         from unnest(
             $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
             $15::jsonb[]
         ) as given",
        placement.key.machine_id,
        placement.commit_ordinal,
        placement.key.run_id,
        placement.key.commit_id,
        placement.key.environment_id,
        placement.work_tree_modified,
        placement.measured_at,
        &series_ids,
        &centers,
        &number(|summary| summary.low_ns) as &[Option<i64>],
        &number(|summary| summary.high_ns) as &[Option<i64>],
        &number(|summary| summary.min_ns) as &[Option<i64>],
        &number(|summary| summary.max_ns) as &[Option<i64>],
        &number(|summary| summary.count) as &[Option<i64>],
        quantiles.as_slice() as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

fn columns(series: &[SeriesKey]) -> (Vec<i64>, Vec<i64>) {
    series.iter().map(|key| (key.machine_id, key.series_id)).unzip()
}
