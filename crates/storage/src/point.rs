//! Points, the largest table. Every query on it names the machine, its distribution key.

use super::copy;
use super::run::{Key, Location};
use chrono::{DateTime, Utc};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;
use strum::{AsRefStr, EnumString, VariantNames};
use utoipa::ToSchema;
use uuid::Uuid;

/// A quantile of a point's operations, ascending. Named as in URLs and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, AsRefStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub enum Quantile {
    Min,
    P25,
    P50,
    P75,
    P90,
    P98,
    P99,
    P999,
    Max,
}

/// The numbers of a point, reduced from repetitions.
#[derive(Clone, Debug, Default, PartialEq)]
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
    pub budget_ns: Option<Vec<f32>>,
    pub events_per_message: Option<Vec<Option<f32>>>,
    /// The merged distribution, if kept, for table `point_histogram`.
    pub histogram: Option<Vec<u8>>,
}

/// The values that all points of one run share.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The run and its foreign keys.
    pub key: Key,
    /// The commit's place in its project.
    pub commit_ordinal: i64,
    /// Whether the work tree was modified.
    pub work_tree_modified: bool,
    /// Whether it is part of the trend.
    pub mainline: bool,
    /// When the run began.
    pub measured_at: DateTime<Utc>,
}

/// One run's result in one series. Times are of one operation, in nanoseconds.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Point {
    /// The run.
    pub run_id: Uuid,
    /// The commit.
    pub commit_sha: String,
    /// The commit's place in its project.
    pub commit_ordinal: i64,
    /// True when tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// When the run began.
    pub measured_at: DateTime<Utc>,
    /// The identity of the machine's stable facts: points with different ones are not compared.
    pub environment_id: i64,
    /// All repetitions merged.
    pub latency_ns: LatencyQuantiles,
    /// Recorded operations.
    #[serde(rename = "count")]
    pub operation_count: i64,
    /// Exact sum of the times of all operations.
    #[serde(rename = "sum_ns")]
    pub latency_ns_sum: i64,
    /// Repetitions that finished.
    pub repetition_count: i32,
    /// Repetitions that did not finish.
    pub failure_count: i32,
    /// Finished repetitions with a reason to doubt them.
    pub disturbed_count: i32,
    /// Quartiles of the repetitions' medians. The repetition is the statistical unit.
    pub repetition_p50_ns: RepetitionQuartiles,
    /// In `stream`: delivered payload bytes per second of transfer time. Null in other scenarios, and with a size
    /// profile.
    #[schema(required)]
    #[serde(rename = "bytes_per_second")]
    pub throughput_bytes_per_second: Option<i64>,
    /// Messages that were attempted.
    pub attempted: i64,
    /// Messages that the transport accepted.
    pub accepted: i64,
    /// Messages that arrived intact, summed over receivers.
    pub delivered: i64,
    /// True when not everything arrived once, in order and intact: never compared with a lossless point.
    pub lossy: bool,
    /// Its series.
    #[serde(skip)]
    pub series_id: i64,
    /// Its commit.
    #[serde(skip)]
    pub commit_id: i64,
}

/// Nearest-rank quantiles of a distribution, in nanoseconds; the extremes are exact.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LatencyQuantiles {
    /// Smallest.
    pub min: i64,
    /// First quartile.
    pub p25: i64,
    /// Median.
    pub p50: i64,
    /// Third quartile.
    pub p75: i64,
    /// 90 %.
    pub p90: i64,
    /// 98 %.
    pub p98: i64,
    /// 99 %.
    pub p99: i64,
    /// 99.9 %.
    pub p999: i64,
    /// Largest.
    pub max: i64,
}

/// Quartiles of the medians of the repetitions, in nanoseconds.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RepetitionQuartiles {
    /// First quartile.
    pub q1: i64,
    /// Median.
    pub median: i64,
    /// Third quartile.
    pub q3: i64,
}

/// Points by commit, then by the start of their runs, with which run ids begin.
///
/// They are selected before they are joined with their commits: with distributed points, the extension would otherwise
/// copy all commits to the points' node.
macro_rules! select_points {
    ($from:literal $(+ $more:literal)*, $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            "with selected as materialized (
                 select point.series_id, point.run_id, point.commit_id, point.commit_ordinal, point.environment_id,
                        point.work_tree_modified, point.lossy, point.repetition_count, point.failure_count,
                        point.disturbed_count, point.operation_count, point.attempted, point.accepted,
                        point.delivered, point.latency_ns_sum, point.latency_ns_min, point.latency_ns_p25,
                        point.latency_ns_p50, point.latency_ns_p75, point.latency_ns_p90, point.latency_ns_p98,
                        point.latency_ns_p99, point.latency_ns_p999, point.latency_ns_max,
                        point.repetition_p50_ns_q1, point.repetition_p50_ns_median, point.repetition_p50_ns_q3,
                        point.throughput_bytes_per_second, point.measured_at
                 from " + $from $(+ $more)* + "
             )
             select selected.*, commit.sha as commit_sha
             from selected
             join commit on commit.commit_id = selected.commit_id
             order by selected.series_id, selected.commit_ordinal, selected.run_id",
            $($argument),+
        )
        .map(|row| Point {
            run_id: row.run_id,
            commit_sha: row.commit_sha,
            commit_ordinal: row.commit_ordinal,
            work_tree_modified: row.work_tree_modified,
            measured_at: row.measured_at,
            environment_id: row.environment_id,
            latency_ns: LatencyQuantiles {
                min: row.latency_ns_min,
                p25: row.latency_ns_p25,
                p50: row.latency_ns_p50,
                p75: row.latency_ns_p75,
                p90: row.latency_ns_p90,
                p98: row.latency_ns_p98,
                p99: row.latency_ns_p99,
                p999: row.latency_ns_p999,
                max: row.latency_ns_max,
            },
            operation_count: row.operation_count,
            latency_ns_sum: row.latency_ns_sum,
            repetition_count: row.repetition_count,
            failure_count: row.failure_count,
            disturbed_count: row.disturbed_count,
            repetition_p50_ns: RepetitionQuartiles {
                q1: row.repetition_p50_ns_q1,
                median: row.repetition_p50_ns_median,
                q3: row.repetition_p50_ns_q3,
            },
            throughput_bytes_per_second: row.throughput_bytes_per_second,
            attempted: row.attempted,
            accepted: row.accepted,
            delivered: row.delivered,
            lossy: row.lossy,
            series_id: row.series_id,
            commit_id: row.commit_id,
        })
    };
}

/// A series and its machine.
#[derive(Clone, Copy, Debug)]
pub struct SeriesKey {
    /// The series.
    pub series_id: i64,
    /// Its machine.
    pub machine_id: i64,
}

/// The points of a series to select.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// From this ordinal,
    pub from_ordinal: i64,
    /// to this ordinal, inclusive:
    pub to_ordinal: i64,
    /// at most this many, the newest,
    pub last: i64,
    /// of these.
    pub lines: Lines<'a>,
}

/// The runs to select points from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines<'a> {
    /// Those of the trend.
    Main,
    /// All.
    All,
    /// Those of one branch, in the trend or not.
    Branch(&'a str),
}

impl Selection<'_> {
    /// Whether to include points outside the main line.
    pub(super) fn is_of_all(&self) -> bool {
        self.lines != Lines::Main
    }

    /// Only points of this branch.
    pub(super) fn branch(&self) -> Option<&str> {
        match self.lines {
            Lines::Branch(branch) => Some(branch),
            Lines::Main | Lines::All => None,
        }
    }
}

/// A query for the rows that a [`Selection`] selects from a table, for each `wanted.series_id`. The relation
/// has the table's name; the caller provides the text before and after it. `$1` is the machine and `$2` the
/// series. The subquery of runs refers to no row outside, so that the points may be distributed and the runs not.
macro_rules! of_selection {
    (
        $query:ident!($($row:ty,)? $before:literal $(+ $more:literal)*), $table:literal, $after:literal,
        $machine_id:expr, $series_ids:expr, $selection:expr $(,)?
    ) => {
        $query!(
            $($row,)?
            $before $(+ $more)* + "(
                 select * from " + $table + " as own
                 where own.machine_id = $1 and own.series_id = wanted.series_id
                   and own.commit_ordinal between $3 and $4 and ($6 or own.mainline)
                   and ($7::text is null
                        or own.run_id in (select run.run_id from run
                                          where run.machine_id = $1 and run.branch = $7
                                            and not run.quarantined and not run.superseded))
                 order by own.commit_ordinal desc, own.run_id desc
                 limit $5
             ) as " + $table + $after,
            $machine_id,
            $series_ids,
            $selection.from_ordinal,
            $selection.to_ordinal,
            $selection.last,
            $selection.is_of_all(),
            $selection.branch(),
        )
    };
}
pub(super) use of_selection;

/// The number of machines that are queried at the same time. Each needs a connection.
const MACHINES_AT_ONCE: usize = 4;

/// Calls `ask` for the series of each machine.
///
/// A statement for one machine runs on one node and may have any form. With distributed points, a statement
/// over several machines cannot have a limit per series.
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

/// The selected points of each series, by commit, then by the start of their runs, with which run ids begin.
pub async fn selected(
    pool: &PgPool,
    series: &[SeriesKey],
    selection: &Selection<'_>,
) -> sqlx::Result<Vec<Point>> {
    of_each_machine(series, async |machine_id, series_ids| {
        of_selection!(
            select_points!("unnest($2::bigint[]) as wanted (series_id) cross join lateral "),
            "point",
            "",
            machine_id,
            &series_ids,
            selection,
        )
        .fetch_all(pool)
        .await
    })
    .await
}

/// The points of one run in some series.
pub async fn of_run(pool: &PgPool, run: Location, series_ids: &[i64]) -> sqlx::Result<Vec<Point>> {
    select_points!(
        "point
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

/// The merged distributions of all points of a run, each with its series.
pub async fn histograms_of_run(
    pool: &PgPool,
    run: Location,
    series_ids: &[i64],
) -> sqlx::Result<Vec<(i64, Vec<u8>)>> {
    let rows = sqlx::query!(
        "select series_id, histogram from point_histogram
         where machine_id = $1 and series_id = any($2) and run_id = $3",
        run.machine_id,
        series_ids,
        run.run_id,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.histogram)).collect())
}

/// Stores the points of one run, each with its series.
pub async fn insert(
    connection: &mut PgConnection,
    placement: Placement,
    points: &[(i64, &Numbers)],
) -> sqlx::Result<()> {
    let mut rows = Rows::default();
    for (series_id, numbers) in points {
        rows.push(placement, *series_id, numbers);
    }
    rows.store(connection).await
}

/// Points to insert, with their histograms.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) points: copy::Rows,
    pub(super) histograms: copy::Rows,
}

impl Rows {
    pub(super) fn push(&mut self, placement: Placement, series_id: i64, numbers: &Numbers) {
        let Placement { key, commit_ordinal, work_tree_modified, mainline, measured_at } = placement;
        self.points.push(&[
            &key.machine_id,
            &series_id,
            &commit_ordinal,
            &key.run_id,
            &key.commit_id,
            &key.environment_id,
            &work_tree_modified,
            &mainline,
            &measured_at,
            &numbers.lossy,
            &numbers.oversubscribed,
            &numbers.repetition_count,
            &numbers.failure_count,
            &numbers.disturbed_count,
            &numbers.operation_count,
            &numbers.attempted,
            &numbers.accepted,
            &numbers.delivered,
            &numbers.latency_ns_sum,
            &numbers.latency_ns_min,
            &numbers.latency_ns_p25,
            &numbers.latency_ns_p50,
            &numbers.latency_ns_p75,
            &numbers.latency_ns_p90,
            &numbers.latency_ns_p98,
            &numbers.latency_ns_p99,
            &numbers.latency_ns_p999,
            &numbers.latency_ns_max,
            &numbers.repetition_p50_ns_q1,
            &numbers.repetition_p50_ns_median,
            &numbers.repetition_p50_ns_q3,
            &numbers.throughput_bytes_per_second,
            &numbers.repetition_p50_ns,
            &numbers.repetition_p90_ns,
            &numbers.repetition_p99_ns,
            &numbers.budget_ns,
            &numbers.events_per_message,
        ]);
        if let Some(histogram) = &numbers.histogram {
            self.histograms.push(&[&key.machine_id, &series_id, &key.run_id, histogram]);
        }
    }

    pub(super) async fn store(self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let point =
            "copy point (machine_id, series_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified,
                mainline, measured_at, lossy, oversubscribed, repetition_count, failure_count, disturbed_count,
                operation_count, attempted, accepted, delivered, latency_ns_sum, latency_ns_min, latency_ns_p25,
                latency_ns_p50, latency_ns_p75, latency_ns_p90, latency_ns_p98, latency_ns_p99, latency_ns_p999,
                latency_ns_max, repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3,
                throughput_bytes_per_second, repetition_p50_ns, repetition_p90_ns, repetition_p99_ns, budget_ns,
                events_per_message)
            from stdin (format binary)";
        let histogram =
            "copy point_histogram (machine_id, series_id, run_id, histogram) from stdin (format binary)";
        self.points.store(connection, point).await?;
        self.histograms.store(connection, histogram).await
    }
}
