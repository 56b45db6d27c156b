//! Points: the big table. Every query on it names the machine, by which it can be distributed.

use super::run::{Key, Location};
use chrono::{DateTime, Utc};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;
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
    pub repetition_p50_ns: Vec<i64>,
    pub repetition_p90_ns: Vec<i64>,
    pub repetition_p99_ns: Vec<i64>,
    pub oversubscribed: bool,
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
    /// Whether it is part of the trend.
    pub mainline: bool,
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

/// Which points of a series are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Of commits from this ordinal on,
    pub from_ordinal: i64,
    /// to this one, which is included:
    pub to_ordinal: i64,
    /// the newest so many,
    pub last: i64,
    /// of these.
    pub lines: Lines<'a>,
}

/// Which runs' points are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines<'a> {
    /// Those that make the trend.
    Main,
    /// All.
    All,
    /// Those of one branch, whether or not they make the trend.
    Branch(&'a str),
}

impl Selection<'_> {
    /// Whether points beside the main line are wanted.
    pub(super) fn is_of_all(&self) -> bool {
        self.lines != Lines::Main
    }

    /// The branch whose points alone are wanted.
    pub(super) fn branch(&self) -> Option<&str> {
        match self.lines {
            Lines::Branch(branch) => Some(branch),
            Lines::Main | Lines::All => None,
        }
    }
}

/// How many machines are asked for at once. Each takes a connection, of which there are few.
const MACHINES_AT_ONCE: usize = 4;

/// What `ask` says of the series of each machine, one machine after the other.
///
/// A statement that names one machine is answered by the one node that holds it, and may then be of any shape. Where points
/// are distributed, a limit for each series would be refused in a statement over several machines.
pub(super) async fn of_each_machine<T, Asked>(
    series: &[SeriesKey],
    ask: impl Fn(i64, Vec<i64>) -> Asked,
) -> sqlx::Result<Vec<T>>
where
    Asked: Future<Output = sqlx::Result<Vec<T>>>,
{
    let mut machines: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for key in series {
        machines.entry(key.machine_id).or_default().push(key.series_id);
    }
    let asked = stream::iter(machines).map(|(machine_id, series_ids)| ask(machine_id, series_ids));
    asked.buffered(MACHINES_AT_ONCE).try_concat().await
}

/// The newest points of each series of commits from one ordinal to another, both included, of all lines or of those that make
/// the trend; in ascending order of commits, then of the beginning of their runs, which their numbers begin with.
///
/// # Errors
/// The database does not answer.
pub async fn newest(
    pool: &PgPool,
    series: &[SeriesKey],
    (from_ordinal, to_ordinal): (i64, i64),
    limit: i64,
    is_of_all: bool,
) -> sqlx::Result<Vec<Row>> {
    of_each_machine(series, async |machine_id, series_ids| {
        select_points!(
            "unnest($2::bigint[]) as wanted (series_id)
             cross join lateral (
                 select * from point
                 where point.machine_id = $1 and point.series_id = wanted.series_id
                   and point.commit_ordinal between $3 and $4 and ($6 or point.mainline)
                 order by point.commit_ordinal desc, point.run_id desc
                 limit $5
             ) as point
             join commit on commit.commit_id = point.commit_id
             order by point.series_id, point.commit_ordinal, point.run_id",
            machine_id,
            &series_ids,
            from_ordinal,
            to_ordinal,
            limit,
            is_of_all,
        )
        .fetch_all(pool)
        .await
    })
    .await
}

/// The points of one series that are selected, in ascending order of commits, then of the beginning of their runs.
///
/// # Errors
/// The database does not answer.
pub async fn selected(pool: &PgPool, series: SeriesKey, selection: &Selection<'_>) -> sqlx::Result<Vec<Row>> {
    select_points!(
        "(
             select * from point
             where point.machine_id = $1 and point.series_id = $2 and point.commit_ordinal between $3 and $4
               and ($6 or point.mainline)
               and ($7::text is null
                    or exists (select from run where run.run_id = point.run_id and run.branch = $7 and not run.quarantined and not run.superseded))
             order by point.commit_ordinal desc, point.run_id desc
             limit $5
         ) as point
         join commit on commit.commit_id = point.commit_id
         order by point.commit_ordinal, point.run_id",
        series.machine_id,
        series.series_id,
        selection.from_ordinal,
        selection.to_ordinal,
        selection.last,
        selection.is_of_all(),
        selection.branch(),
    )
    .fetch_all(pool)
    .await
}

/// The points of one run in some series.
///
/// # Errors
/// The database does not answer.
pub async fn of_run(pool: &PgPool, run: Location, series_ids: &[i64]) -> sqlx::Result<Vec<Row>> {
    select_points!(
        "point
         join commit on commit.commit_id = point.commit_id
         where point.machine_id = $1 and point.commit_ordinal = $2 and point.run_id = $3 and point.series_id = any($4)",
        run.machine_id,
        run.commit_ordinal,
        run.run_id,
        series_ids,
    )
    .fetch_all(pool)
    .await
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
    if points.is_empty() {
        return Ok(());
    }
    let series_ids: Vec<i64> = points.iter().map(|(series_id, _)| *series_id).collect();
    let small = |of: fn(&Numbers) -> i32| points.iter().map(|(_, point)| of(point)).collect::<Vec<_>>();
    let large = |of: fn(&Numbers) -> i64| points.iter().map(|(_, point)| of(point)).collect::<Vec<_>>();
    let throughput: Vec<_> = points.iter().map(|(_, point)| point.throughput_bytes_per_second).collect();
    // Arrays of arrays must be rectangular, so the repetitions of all points travel one after the other.
    let repetitions = |of: fn(&Numbers) -> &[i64]| {
        points.iter().flat_map(|(_, point)| of(point)).copied().collect::<Vec<_>>()
    };
    let mut upto = 0;
    let (after, upto): (Vec<i32>, Vec<i32>) = points
        .iter()
        .map(|(_, point)| {
            let after = upto;
            upto += point.repetition_count;
            (after, upto)
        })
        .unzip();
    sqlx::query!(
        "insert into point (
             machine_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified, mainline, measured_at,
             series_id, lossy, repetition_count, failure_count, disturbed_count, operation_count, attempted,
             accepted, delivered, latency_ns_sum, latency_ns_min, latency_ns_p25, latency_ns_p50, latency_ns_p75,
             latency_ns_p90, latency_ns_p98, latency_ns_p99, latency_ns_p999, latency_ns_max,
             repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3, throughput_bytes_per_second,
             repetition_p50_ns, repetition_p90_ns, repetition_p99_ns, oversubscribed
         )
         select $1, $2, $3, $4, $5, $6, $7, $8,
                given.series_id, given.lossy, given.repetition_count, given.failure_count, given.disturbed_count,
                given.operation_count, given.attempted, given.accepted, given.delivered, given.latency_ns_sum,
                given.latency_ns_min, given.latency_ns_p25, given.latency_ns_p50, given.latency_ns_p75,
                given.latency_ns_p90, given.latency_ns_p98, given.latency_ns_p99, given.latency_ns_p999,
                given.latency_ns_max, given.repetition_p50_ns_q1, given.repetition_p50_ns_median,
                given.repetition_p50_ns_q3, given.throughput_bytes_per_second,
                ($32::bigint[])[given.after + 1 : given.upto], ($33::bigint[])[given.after + 1 : given.upto],
                ($34::bigint[])[given.after + 1 : given.upto], given.oversubscribed
         from unnest(
             $9::bigint[], $10::boolean[], $11::integer[], $12::integer[], $13::integer[], $14::bigint[],
             $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[],
             $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[], $26::bigint[],
             $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[], $31::bigint[], $35::integer[], $36::integer[],
             $37::boolean[]
         ) as given (
             series_id, lossy, repetition_count, failure_count, disturbed_count, operation_count, attempted, accepted,
             delivered, latency_ns_sum, latency_ns_min, latency_ns_p25, latency_ns_p50, latency_ns_p75, latency_ns_p90,
             latency_ns_p98, latency_ns_p99, latency_ns_p999, latency_ns_max, repetition_p50_ns_q1,
             repetition_p50_ns_median, repetition_p50_ns_q3, throughput_bytes_per_second, after, upto,
             oversubscribed
         )",
        placement.key.machine_id,
        placement.commit_ordinal,
        placement.key.run_id,
        placement.key.commit_id,
        placement.key.environment_id,
        placement.work_tree_modified,
        placement.mainline,
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
        &repetitions(|point| &point.repetition_p50_ns),
        &repetitions(|point| &point.repetition_p90_ns),
        &repetitions(|point| &point.repetition_p99_ns),
        &after,
        &upto,
        &points.iter().map(|(_, point)| point.oversubscribed).collect::<Vec<_>>(),
    )
    .execute(&mut *connection)
    .await?;
    let histograms: Vec<&[u8]> = points.iter().map(|(_, point)| point.histogram.as_slice()).collect();
    sqlx::query!(
        "insert into point_histogram (machine_id, run_id, series_id, histogram)
         select $1, $2, given.series_id, given.histogram
         from unnest($3::bigint[], $4::bytea[]) as given (series_id, histogram)",
        placement.key.machine_id,
        placement.key.run_id,
        &series_ids,
        &histograms as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}
