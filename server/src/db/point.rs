//! Points: the big table. Every query on it names the machine, by which it can be distributed.

use super::run::Key;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// What repetitions reduce to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub struct Numbers {
    pub lossy: bool,
    pub repetition_count: i32,
    pub failure_count: i32,
    pub disturbed_count: i32,
    pub operation_count: i64,
    pub attempted: i64,
    pub accepted: i64,
    pub delivered: i64,
    pub latency_ns_sum: i64,
    pub latency_ns_min: i64,
    pub latency_ns_p25: i64,
    pub latency_ns_p50: i64,
    pub latency_ns_p75: i64,
    pub latency_ns_p90: i64,
    pub latency_ns_p98: i64,
    pub latency_ns_p99: i64,
    pub latency_ns_p999: i64,
    pub latency_ns_max: i64,
    pub repetition_p50_ns_q1: i64,
    pub repetition_p50_ns_median: i64,
    pub repetition_p50_ns_q3: i64,
    pub throughput_bytes_per_second: Option<i64>,
    /// The merged distribution: it goes to table `point_histogram`.
    pub histogram: Vec<u8>,
}

/// What all points of one run have in common.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The run and what it refers to.
    pub key: Key,
    /// The commit's place in its project.
    pub commit_ordinal: i64,
    /// Whether what was measured was not exactly the commit.
    pub work_tree_modified: bool,
    /// When the run began.
    pub measured_at: DateTime<Utc>,
}

/// A stored point.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub struct Row {
    pub series_id: i64,
    pub run_id: Uuid,
    pub commit_id: i64,
    pub commit_sha: String,
    pub commit_ordinal: i64,
    pub environment_id: i64,
    pub work_tree_modified: bool,
    pub lossy: bool,
    pub repetition_count: i32,
    pub failure_count: i32,
    pub disturbed_count: i32,
    pub operation_count: i64,
    pub attempted: i64,
    pub accepted: i64,
    pub delivered: i64,
    pub latency_ns_sum: i64,
    pub latency_ns_min: i64,
    pub latency_ns_p25: i64,
    pub latency_ns_p50: i64,
    pub latency_ns_p75: i64,
    pub latency_ns_p90: i64,
    pub latency_ns_p98: i64,
    pub latency_ns_p99: i64,
    pub latency_ns_p999: i64,
    pub latency_ns_max: i64,
    pub repetition_p50_ns_q1: i64,
    pub repetition_p50_ns_median: i64,
    pub repetition_p50_ns_q3: i64,
    pub throughput_bytes_per_second: Option<i64>,
    pub measured_at: DateTime<Utc>,
}

macro_rules! select_points {
    ($from:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Row,
            "select point.series_id, point.run_id, point.commit_id, commit.sha as commit_sha, point.commit_ordinal,
                    point.environment_id, point.work_tree_modified, point.lossy, point.repetition_count,
                    point.failure_count, point.disturbed_count, point.operation_count, point.attempted,
                    point.accepted, point.delivered, point.latency_ns_sum, point.latency_ns_min,
                    point.latency_ns_p25, point.latency_ns_p50, point.latency_ns_p75, point.latency_ns_p90,
                    point.latency_ns_p98, point.latency_ns_p99, point.latency_ns_p999, point.latency_ns_max,
                    point.repetition_p50_ns_q1, point.repetition_p50_ns_median, point.repetition_p50_ns_q3,
                    point.throughput_bytes_per_second, point.measured_at
             from " + $from,
            $($argument),+
        )
    };
}

/// A series and the machine it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct SeriesKey {
    /// The series.
    pub series_id: i64,
    /// Its machine.
    pub machine_id: i64,
}

/// The newest points of each series, in ascending order of commits, then of the beginning of their runs.
///
/// # Errors
/// The database does not answer.
pub async fn newest(pool: &PgPool, series: &[SeriesKey], limit: i64) -> sqlx::Result<Vec<Row>> {
    let (machine_ids, series_ids) = columns(series);
    select_points!(
        "unnest($1::bigint[], $2::bigint[]) as wanted (machine_id, series_id)
         cross join lateral (
             select * from point
             where point.machine_id = wanted.machine_id and point.series_id = wanted.series_id
             order by point.commit_ordinal desc, point.measured_at desc, point.run_id desc
             limit $3
         ) as point
         join commit on commit.commit_id = point.commit_id
         order by point.series_id, point.commit_ordinal, point.measured_at, point.run_id",
        &machine_ids,
        &series_ids,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The points of one run in some series.
///
/// # Errors
/// The database does not answer.
pub async fn of_run(pool: &PgPool, run_id: Uuid, series_ids: &[i64]) -> sqlx::Result<Vec<Row>> {
    select_points!(
        "run
         join commit on commit.commit_id = run.commit_id
         join point on point.machine_id = run.machine_id and point.commit_ordinal = commit.ordinal
                   and point.run_id = run.run_id
         where run.run_id = $1 and point.series_id = any($2)",
        run_id,
        series_ids,
    )
    .fetch_all(pool)
    .await
}

/// How many points each series has; series without any are left out.
///
/// # Errors
/// The database does not answer.
pub async fn counts(pool: &PgPool, series: &[SeriesKey]) -> sqlx::Result<Vec<(i64, i64)>> {
    let (machine_ids, series_ids) = columns(series);
    let rows = sqlx::query!(
        r#"select point.series_id, count(*) as "count!"
           from unnest($1::bigint[], $2::bigint[]) as wanted (machine_id, series_id)
           join point on point.machine_id = wanted.machine_id and point.series_id = wanted.series_id
           group by point.series_id"#,
        &machine_ids,
        &series_ids,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.count)).collect())
}

/// The merged distribution of a point.
///
/// # Errors
/// The database does not answer.
pub async fn histogram(pool: &PgPool, series: SeriesKey, run_id: Uuid) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!(
        "select histogram from point_histogram where machine_id = $1 and series_id = $2 and run_id = $3",
        series.machine_id,
        series.series_id,
        run_id,
    )
    .fetch_optional(pool)
    .await
}

/// Stores the points of one run, each with its series.
///
/// # Errors
/// The database does not answer.
pub async fn insert(
    connection: &mut PgConnection,
    placement: Placement,
    points: &[(i64, &Numbers)],
) -> sqlx::Result<()> {
    let series_ids: Vec<i64> = points.iter().map(|(series_id, _)| *series_id).collect();
    let small = |of: fn(&Numbers) -> i32| points.iter().map(|(_, point)| of(point)).collect::<Vec<_>>();
    let large = |of: fn(&Numbers) -> i64| points.iter().map(|(_, point)| of(point)).collect::<Vec<_>>();
    let throughput: Vec<_> = points.iter().map(|(_, point)| point.throughput_bytes_per_second).collect();
    sqlx::query!(
        "insert into point (
             machine_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified, measured_at,
             series_id, lossy, repetition_count, failure_count, disturbed_count, operation_count, attempted,
             accepted, delivered, latency_ns_sum, latency_ns_min, latency_ns_p25, latency_ns_p50, latency_ns_p75,
             latency_ns_p90, latency_ns_p98, latency_ns_p99, latency_ns_p999, latency_ns_max,
             repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3, throughput_bytes_per_second
         )
         select $1, $2, $3, $4, $5, $6, $7, given.*
         from unnest(
             $8::bigint[], $9::boolean[], $10::integer[], $11::integer[], $12::integer[], $13::bigint[],
             $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[],
             $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[],
             $26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[]
         ) as given",
        placement.key.machine_id,
        placement.commit_ordinal,
        placement.key.run_id,
        placement.key.commit_id,
        placement.key.environment_id,
        placement.work_tree_modified,
        placement.measured_at,
        &series_ids,
        &points.iter().map(|(_, point)| point.lossy).collect::<Vec<_>>(),
        &small(|point| point.repetition_count),
        &small(|point| point.failure_count),
        &small(|point| point.disturbed_count),
        &large(|point| point.operation_count),
        &large(|point| point.attempted),
        &large(|point| point.accepted),
        &large(|point| point.delivered),
        &large(|point| point.latency_ns_sum),
        &large(|point| point.latency_ns_min),
        &large(|point| point.latency_ns_p25),
        &large(|point| point.latency_ns_p50),
        &large(|point| point.latency_ns_p75),
        &large(|point| point.latency_ns_p90),
        &large(|point| point.latency_ns_p98),
        &large(|point| point.latency_ns_p99),
        &large(|point| point.latency_ns_p999),
        &large(|point| point.latency_ns_max),
        &large(|point| point.repetition_p50_ns_q1),
        &large(|point| point.repetition_p50_ns_median),
        &large(|point| point.repetition_p50_ns_q3),
        &throughput as &[Option<i64>],
    )
    .execute(&mut *connection)
    .await?;
    let histograms: Vec<Vec<u8>> = points.iter().map(|(_, point)| point.histogram.clone()).collect();
    sqlx::query!(
        "insert into point_histogram (machine_id, run_id, series_id, histogram)
         select $1, $2, given.* from unnest($3::bigint[], $4::bytea[]) as given",
        placement.key.machine_id,
        placement.key.run_id,
        &series_ids,
        &histograms,
    )
    .execute(connection)
    .await?;
    Ok(())
}

fn columns(series: &[SeriesKey]) -> (Vec<i64>, Vec<i64>) {
    series.iter().map(|key| (key.machine_id, key.series_id)).unzip()
}
