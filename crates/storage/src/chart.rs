//! The data of charts, by column.
//!
//! Each statement is for one machine, which is the distribution key of points, so one node answers it.

use super::decode_error;
use super::point::{
    Lines, Quantile, RepetitionQuartiles, Selection, SeriesKey, of_each_machine, of_selection,
};
use futures_util::stream::BoxStream;
use sqlx::{PgPool, query, query_as};
use std::collections::HashMap;
use uuid::Uuid;

/// The columns of a line, with one value per point, oldest first.
#[derive(Debug, Default)]
pub struct LineRow {
    /// The series.
    pub series_id: i64,
    /// Places of the commits.
    pub commit_ordinals: Vec<i64>,
    /// The environments.
    pub environment_ids: Vec<i64>,
    /// Whether the point is lossy.
    pub lossy: Vec<bool>,
    /// Whether the work tree was modified.
    pub work_tree_modified: Vec<bool>,
    /// Quantiles of all operations.
    pub latency_ns: Vec<(Quantile, Vec<i64>)>,
    /// First quartile, median and third quartile of the repetitions' medians, if requested.
    pub repetition_p50_ns: Option<[Vec<i64>; 3]>,
    /// Delivered payload bytes per second, if requested; -1 for scenarios without a rate.
    pub bytes_per_second: Option<Vec<i64>>,
}

/// The optional columns of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columns<'a> {
    /// Quantiles of all operations.
    pub quantiles: &'a [Quantile],
    /// How the medians of the repetitions lie.
    pub repetitions: bool,
    /// The rates.
    pub rate: bool,
}

/// The merged distribution of a point.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables point and point_histogram, described there")]
pub struct HistogramRow {
    pub commit_ordinal: i64,
    pub lossy: bool,
    /// The distribution; none if retention deleted it.
    pub histogram: Option<Vec<u8>>,
}

/// The time of a message by part, at a point.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub struct BudgetRow {
    pub series_id: i64,
    pub commit_ordinal: i64,
    pub budget_ns: Vec<f32>,
    pub events_per_message: Vec<Option<f32>>,
}

/// A summary in a line.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table summary, described there")]
pub struct StatedRow {
    pub series_id: i64,
    pub commit_ordinal: i64,
    pub environment_id: i64,
    pub work_tree_modified: bool,
    pub latency_ns_center: i64,
    pub latency_ns_low: Option<i64>,
    pub latency_ns_high: Option<i64>,
}

/// A point with the values for comparisons.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub struct MeasuredRow {
    pub series_id: i64,
    pub run_id: Uuid,
    pub commit_id: i64,
    pub commit_sha: String,
    pub commit_ordinal: i64,
    pub environment_id: i64,
    pub work_tree_modified: bool,
    pub lossy: bool,
    pub oversubscribed: bool,
    pub attempted: i64,
    pub delivered: i64,
    pub latency_ns_sum: i64,
    pub latency_ns_min: i64,
    pub latency_ns_p50: i64,
    pub latency_ns_p90: i64,
    pub latency_ns_p98: i64,
    pub latency_ns_p99: i64,
    pub latency_ns_max: i64,
    pub repetition_p50_ns_q1: i64,
    pub repetition_p50_ns_median: i64,
    pub repetition_p50_ns_q3: i64,
    pub throughput_bytes_per_second: Option<i64>,
    pub repetition_p50_ns: Vec<i64>,
    pub repetition_p90_ns: Vec<i64>,
    pub repetition_p99_ns: Vec<i64>,
}

/// The quantiles in `point.chart_line`, in its order.
const USUAL: [Quantile; 3] = [Quantile::P50, Quantile::P90, Quantile::P99];
/// The other quantiles, in the order in which they are read.
const OTHER: [Quantile; 6] =
    [Quantile::Min, Quantile::P25, Quantile::P75, Quantile::P98, Quantile::P999, Quantile::Max];

/// Returns the points of a series as one value in one row: the numbers of each point, newest first. Built
/// from the index, 10,000 points take PostgreSQL 3 ms, of which the index scan is 2.5 ms; as text, arrays or
/// rows they take 7 ms.
macro_rules! select_lines {
    ($numbers:literal, $machine_id:expr, $series_ids:expr, $selection:expr) => {
        of_selection!(
            query!(
                r#"select wanted.series_id as "series_id!", line.numbers as "numbers?"
                   from unnest($2::bigint[]) as wanted (series_id)
                   cross join lateral (
                       select string_agg("#
                    + $numbers
                    + ", '') as numbers from "
            ),
            "point",
            ") as line",
            $machine_id,
            $series_ids,
            $selection,
        )
    };
}

/// The selected points of each series, ordered by machine. Series without points have empty columns.
///
/// p50, p90 and p99 come from the index; other quantiles and rates from the table.
pub async fn lines(
    pool: &PgPool,
    series: &[SeriesKey],
    selection: &Selection<'_>,
    columns: Columns<'_>,
) -> sqlx::Result<Vec<LineRow>> {
    let is_usual = !columns.rate && columns.quantiles.iter().all(|quantile| USUAL.contains(quantile));
    let line = |series_id, numbers: Option<Vec<u8>>| {
        LineRow::decode(series_id, &numbers.unwrap_or_default(), !is_usual, columns.repetitions)
    };
    let mut lines = of_each_machine(series, async |machine_id, series_ids| {
        if is_usual {
            let rows =
                select_lines!("point.chart_line", machine_id, &series_ids, selection).fetch_all(pool).await?;
            return rows.into_iter().map(|row| line(row.series_id, row.numbers)).collect();
        }
        let rows = select_lines!(
            "point.chart_line || int8send(point.latency_ns_min) || int8send(point.latency_ns_p25)
             || int8send(point.latency_ns_p75) || int8send(point.latency_ns_p98)
             || int8send(point.latency_ns_p999) || int8send(point.latency_ns_max)
             || int8send(coalesce(point.throughput_bytes_per_second, -1))",
            machine_id,
            &series_ids,
            selection
        );
        rows.fetch_all(pool).await?.into_iter().map(|row| line(row.series_id, row.numbers)).collect()
    })
    .await?;
    for line in &mut lines {
        line.latency_ns.retain(|(quantile, _)| columns.quantiles.contains(quantile));
        line.bytes_per_second.take_if(|_| !columns.rate);
    }
    Ok(lines)
}

/// Like [`lines`], with the values of summaries for series without points: what is searched for changes.
pub async fn searched_lines(
    pool: &PgPool,
    series: &[SeriesKey],
    selection: &Selection<'_>,
    columns: Columns<'_>,
) -> sqlx::Result<Vec<LineRow>> {
    let mut lines = lines(pool, series, selection, columns).await?;
    fill_from_summaries(pool, series, &mut lines, selection).await?;
    Ok(lines)
}

/// Fills the lines without points from summaries: their values take the place of the repetitions' medians.
async fn fill_from_summaries(
    pool: &PgPool,
    series: &[SeriesKey],
    lines: &mut [LineRow],
    selection: &Selection<'_>,
) -> sqlx::Result<()> {
    let mut empty: HashMap<i64, &mut LineRow> = lines
        .iter_mut()
        .filter(|line| line.commit_ordinals.is_empty())
        .map(|line| (line.series_id, line))
        .collect();
    let keys: Vec<SeriesKey> =
        series.iter().filter(|key| empty.contains_key(&key.series_id)).copied().collect();
    if keys.is_empty() {
        return Ok(());
    }
    for row in stated(pool, &keys, selection).await? {
        let Some(line) = empty.get_mut(&row.series_id) else { continue };
        line.commit_ordinals.push(row.commit_ordinal);
        line.environment_ids.push(row.environment_id);
        line.lossy.push(false);
        line.work_tree_modified.push(row.work_tree_modified);
        push_each(line.repetition_p50_ns.get_or_insert_default(), [row.latency_ns_center; 3]);
    }
    Ok(())
}

/// The points of some series on the main line, each within an inclusive range of ordinals. Series without
/// points have the values of their summaries, as in [`searched_lines`].
pub async fn windows(pool: &PgPool, wanted: &[(SeriesKey, [i64; 2])]) -> sqlx::Result<Vec<LineRow>> {
    let series: Vec<SeriesKey> = wanted.iter().map(|(key, _)| *key).collect();
    let ends: HashMap<i64, [i64; 2]> = wanted.iter().map(|(key, ends)| (key.series_id, *ends)).collect();
    let mut lines = windows_of_points(pool, &series, &ends).await?;
    let all = Selection {
        from_ordinal: ends.values().map(|ends| ends[0]).min().unwrap_or(0),
        to_ordinal: ends.values().map(|ends| ends[1]).max().unwrap_or(0),
        last: i64::MAX,
        lines: Lines::Main,
    };
    fill_from_summaries(pool, &series, &mut lines, &all).await?;
    Ok(lines)
}

async fn windows_of_points(
    pool: &PgPool,
    series: &[SeriesKey],
    ends: &HashMap<i64, [i64; 2]>,
) -> sqlx::Result<Vec<LineRow>> {
    of_each_machine(series, async |machine_id, series_ids| {
        let end = |nth: usize| -> Vec<i64> { series_ids.iter().map(|series_id| ends[series_id][nth]).collect() };
        let rows = sqlx::query!(
            r#"select wanted.series_id as "series_id!", line.numbers as "numbers?"
               from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as wanted (series_id, from_ordinal, to_ordinal)
               cross join lateral (
                   select string_agg(point.chart_line, '') as numbers
                   from (
                       select * from point
                       where point.machine_id = $1 and point.series_id = wanted.series_id and point.mainline
                         and point.commit_ordinal between wanted.from_ordinal and wanted.to_ordinal
                       order by point.commit_ordinal desc, point.run_id desc
                   ) as point
               ) as line"#,
            machine_id,
            &series_ids,
            &end(0),
            &end(1),
        )
        .fetch_all(pool)
        .await?;
        let line = |numbers: Option<Vec<u8>>, series_id| {
            LineRow::decode(series_id, &numbers.unwrap_or_default(), false, true)
        };
        rows.into_iter().map(|row| line(row.numbers, row.series_id)).collect()
    })
    .await
}

impl LineRow {
    /// Decodes points, newest first: `point.chart_line` of each, followed by the other quantiles and the rate
    /// if included.
    fn decode(series_id: i64, bytes: &[u8], with_other: bool, with_repetitions: bool) -> sqlx::Result<Self> {
        let mut bytes = Numbers(bytes);
        let mut line = Self { series_id, ..Self::default() };
        let (mut usual, mut other) = (USUAL.map(|_| Vec::new()), OTHER.map(|_| Vec::new()));
        let mut rates = Vec::new();
        let mut repetitions = [Vec::new(), Vec::new(), Vec::new()];
        while !bytes.0.is_empty() {
            let [ordinal, marks, p50, p90, p99, q1, median, q3] = bytes.chart_line().ok_or_else(cut_off)?;
            line.commit_ordinals.push(ordinal);
            line.environment_ids.push(marks >> 2);
            line.lossy.push(marks & 2 != 0);
            line.work_tree_modified.push(marks & 1 != 0);
            push_each(&mut usual, [p50, p90, p99]);
            if with_repetitions {
                push_each(&mut repetitions, [q1, median, q3]);
            }
            if with_other {
                push_each(&mut other, bytes.int8s().ok_or_else(cut_off)?);
                rates.extend(bytes.int8s::<1>().ok_or_else(cut_off)?);
            }
        }
        line.latency_ns = USUAL.into_iter().zip(usual).collect();
        line.latency_ns.extend(OTHER.into_iter().zip(other).filter(|_| with_other));
        line.repetition_p50_ns = with_repetitions.then_some(repetitions);
        line.bytes_per_second = with_other.then_some(rates);
        line.reverse();
        Ok(line)
    }

    fn reverse(&mut self) {
        let Self { commit_ordinals, environment_ids, lossy, work_tree_modified, .. } = self;
        let latencies = self.latency_ns.iter_mut().map(|(_, column)| column);
        let columns = latencies.chain(self.repetition_p50_ns.iter_mut().flatten());
        columns
            .chain(&mut self.bytes_per_second)
            .chain([commit_ordinals, environment_ids])
            .for_each(|column| column.reverse());
        lossy.reverse();
        work_tree_modified.reverse();
    }
}

fn push_each<const N: usize>(columns: &mut [Vec<i64>; N], values: [i64; N]) {
    for (column, value) in columns.iter_mut().zip(values) {
        column.push(value);
    }
}

fn cut_off() -> sqlx::Error {
    decode_error(std::io::Error::other("a point of a line lacks a number"))
}

/// Big-endian numbers from PostgreSQL.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    /// The next `point.chart_line`, which begins with its width.
    fn chart_line(&mut self) -> Option<[i64; 8]> {
        let (width, rest) = self.0.split_first()?;
        self.0 = rest;
        match width {
            4 => self.take().map(|numbers| numbers.map(|bytes| i32::from_be_bytes(bytes).into())),
            _ => self.int8s(),
        }
    }

    fn int8s<const COUNT: usize>(&mut self) -> Option<[i64; COUNT]> {
        self.take().map(|numbers| numbers.map(i64::from_be_bytes))
    }

    fn take<const COUNT: usize, const WIDTH: usize>(&mut self) -> Option<[[u8; WIDTH]; COUNT]> {
        let (bytes, rest) = self.0.split_at_checked(COUNT * WIDTH)?;
        self.0 = rest;
        let (numbers, _) = bytes.as_chunks();
        numbers.try_into().ok()
    }
}

/// The selected summaries of each series, by commit, then by the start of their runs.
pub async fn stated(
    pool: &PgPool,
    series: &[SeriesKey],
    selection: &Selection<'_>,
) -> sqlx::Result<Vec<StatedRow>> {
    of_each_machine(series, async |machine_id, series_ids| {
        of_selection!(
            query_as!(
                StatedRow,
                "select summary.series_id, summary.commit_ordinal, summary.environment_id, summary.work_tree_modified,
                        summary.latency_ns_center, summary.latency_ns_low, summary.latency_ns_high
                 from unnest($2::bigint[]) as wanted (series_id) cross join lateral "
            ),
            "summary",
            " order by summary.series_id, summary.commit_ordinal, summary.run_id",
            machine_id,
            &series_ids,
            selection,
        )
        .fetch_all(pool)
        .await
    })
    .await
}

/// The budgets of each series' selected points, oldest first. Points without one are skipped.
pub async fn budgets(
    pool: &PgPool,
    series: &[SeriesKey],
    selection: &Selection<'_>,
) -> sqlx::Result<Vec<BudgetRow>> {
    of_each_machine(series, async |machine_id, series_ids| {
        of_selection!(
            query_as!(
                BudgetRow,
                r#"select point.series_id, point.commit_ordinal, point.budget_ns as "budget_ns!",
                          point.events_per_message as "events_per_message!: Vec<Option<f32>>"
                   from unnest($2::bigint[]) as wanted (series_id) cross join lateral "#
            ),
            "point",
            " where point.budget_ns is not null and point.events_per_message is not null
              order by point.series_id, point.commit_ordinal, point.run_id",
            machine_id,
            &series_ids,
            selection,
        )
        .fetch_all(pool)
        .await
    })
    .await
}

/// The distributions of a series' selected points, in any order, because sorting so many bytes is expensive.
pub fn histograms<'a>(
    pool: &'a PgPool,
    series: SeriesKey,
    selection: &Selection<'a>,
) -> BoxStream<'a, sqlx::Result<HistogramRow>> {
    of_selection!(
        query_as!(
            HistogramRow,
            r#"select point.commit_ordinal, point.lossy, point_histogram.histogram as "histogram?"
               from (values ($2::bigint)) as wanted (series_id) cross join lateral "#
        ),
        "point",
        " left join point_histogram
              on point_histogram.machine_id = $1 and point_histogram.series_id = $2
             and point_histogram.run_id = point.run_id",
        series.machine_id,
        series.series_id,
        selection,
    )
    .fetch(pool)
}

/// One point of each series that matches the condition; the last part of the statement selects it. Selected before it is
/// joined, like other points.
macro_rules! select_measured {
    ($condition:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            MeasuredRow,
            "with measured as materialized (
                 select point.series_id, point.run_id, point.commit_id, point.commit_ordinal, point.environment_id,
                        point.work_tree_modified, point.lossy, point.oversubscribed, point.attempted,
                        point.delivered, point.latency_ns_sum, point.latency_ns_min, point.latency_ns_p50,
                        point.latency_ns_p90, point.latency_ns_p98, point.latency_ns_p99, point.latency_ns_max,
                        point.repetition_p50_ns_q1, point.repetition_p50_ns_median, point.repetition_p50_ns_q3,
                        point.throughput_bytes_per_second, point.repetition_p50_ns, point.repetition_p90_ns,
                        point.repetition_p99_ns
                 from unnest($2::bigint[]) as wanted (series_id)
                 cross join lateral (
                     select * from point
                     where point.machine_id = $1 and point.series_id = wanted.series_id and "
                     + $condition + "
                     limit 1
                 ) as point
             )
             select measured.*, commit.sha as commit_sha
             from measured
             join commit on commit.commit_id = measured.commit_id",
            $($argument),+
        )
    };
}

/// The newest point on the main line of each series of one machine. Series without one are skipped.
pub async fn newest_of_main_line(
    pool: &PgPool,
    machine_id: i64,
    series_ids: &[i64],
) -> sqlx::Result<Vec<MeasuredRow>> {
    select_measured!(
        "point.mainline order by point.commit_ordinal desc, point.run_id desc",
        machine_id,
        series_ids
    )
    .fetch_all(pool)
    .await
}

/// The distributions of one machine's points, by series. Deleted ones are skipped.
pub async fn distributions(
    pool: &PgPool,
    machine_id: i64,
    points: &[MeasuredRow],
) -> sqlx::Result<HashMap<i64, Vec<u8>>> {
    let (series_ids, run_ids): (Vec<i64>, Vec<Uuid>) =
        points.iter().map(|point| (point.series_id, point.run_id)).unzip();
    let rows = sqlx::query!(
        "select point_histogram.series_id, point_histogram.histogram
         from unnest($2::bigint[], $3::uuid[]) as wanted (series_id, run_id)
         join point_histogram
             on point_histogram.machine_id = $1 and point_histogram.series_id = wanted.series_id
            and point_histogram.run_id = wanted.run_id",
        machine_id,
        &series_ids,
        &run_ids,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.histogram)).collect())
}

/// The point of a commit, or of one of its runs, in each series of one machine. Of several runs: the newest
/// with a clean work tree, else the newest. Series without one are skipped.
pub async fn of_commit(
    pool: &PgPool,
    machine_id: i64,
    series_ids: &[i64],
    (commit_id, commit_ordinal): (i64, i64),
    run_id: Option<Uuid>,
) -> sqlx::Result<Vec<MeasuredRow>> {
    select_measured!(
        "point.commit_ordinal = $4 and point.commit_id = $3 and ($5::uuid is null or point.run_id = $5)
         order by point.work_tree_modified, point.run_id desc",
        machine_id,
        series_ids,
        commit_id,
        commit_ordinal,
        run_id,
    )
    .fetch_all(pool)
    .await
}

impl From<&MeasuredRow> for RepetitionQuartiles {
    fn from(point: &MeasuredRow) -> Self {
        Self {
            q1: point.repetition_p50_ns_q1,
            median: point.repetition_p50_ns_median,
            q3: point.repetition_p50_ns_q3,
        }
    }
}
