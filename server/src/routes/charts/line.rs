//! Lines over commits in a compact format.

use super::csv::{Column, Table, cell, file, negotiated};
use super::{LinesAsked, PointRange};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Accept, Caller, Format, Query, within};
use crate::routes::permitted;
use crate::routes::series::SeriesIds;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use axum::{Json, extract::State};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use roundtrip_domain::charts::delta::{self, Deltas, EnvironmentBegins, OptionalDeltas};
use roundtrip_domain::charts::downsample;
use roundtrip_domain::charts::quantile::Quantiles;
use roundtrip_storage as db;
use roundtrip_storage::chart::{Columns, LineRow, StatedRow};
use roundtrip_storage::point::Point;
use roundtrip_storage::point::Quantile;
use roundtrip_storage::point::{Selection, SeriesKey};
use roundtrip_storage::summary::StatedPoint;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// The maximum number of points per line.
pub(crate) const POINTS_MAX: i64 = 10_000;
/// The minimum number of points per line: its ends.
pub(crate) const POINTS_MIN: i64 = 2;
/// The default number of points per line, about the width of a chart in pixels.
pub(crate) const POINTS_DEFAULT: i64 = 500;
/// The size from which the rest of a table is read while it is sent.
const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// The most memory of one series in a table: 10,000 rows and their text.
const SERIES_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Lines over commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LineChart {
    /// One entry per series, in the order of the request.
    pub series: Vec<LineSeries>,
}

/// The points of one series as columns: oldest commit first, then the runs of a commit by start. A series has either
/// measured or stated points. Times are in nanoseconds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LineSeries {
    /// The series.
    pub series_id: i64,
    /// The number of stored points in the request.
    pub point_count: usize,
    /// Whether points were left out. Thinning keeps the smallest and largest p50, and those of the highest requested
    /// quantile, in every section.
    pub is_thinned: bool,
    /// The indexes of the included points, from 0; null if all are included.
    #[schema(required)]
    pub kept: Option<Deltas>,
    /// The ordinals of the commits in their project.
    pub commit_ordinals: Deltas,
    /// The machine's environments and where each begins.
    pub environments: Vec<EnvironmentBegins>,
    /// The indexes, from 0, of points at which tracked files differed from the commit.
    pub work_tree_modified: Vec<usize>,
    /// The indexes, from 0, of points with lost, duplicated, reordered or damaged messages.
    pub lossy: Vec<usize>,
    /// The requested quantiles; null without samples.
    #[schema(required)]
    pub latency_ns: Option<LatencyColumns>,
    /// The quartiles of the repetitions' medians; null if there are none or they were not requested.
    #[schema(required)]
    pub repetition_p50_ns: Option<RepetitionColumns>,
    /// Delivered payload bytes per second; null in scenarios without a rate, and if not requested.
    #[schema(required)]
    pub bytes_per_second: Option<Deltas>,
    /// Another tool's values; null if there are samples.
    #[schema(required)]
    pub stated: Option<StatedColumns>,
}

/// Nearest-rank quantiles of all operations; only the requested ones.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct LatencyColumns {
    /// Minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Deltas>,
    /// First quartile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p25: Option<Deltas>,
    /// Median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50: Option<Deltas>,
    /// Third quartile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p75: Option<Deltas>,
    /// 90th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p90: Option<Deltas>,
    /// 98th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p98: Option<Deltas>,
    /// 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99: Option<Deltas>,
    /// 99.9th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p999: Option<Deltas>,
    /// Maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Deltas>,
}

/// Quartiles of the medians of the repetitions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RepetitionColumns {
    /// First quartile.
    pub q1: Deltas,
    /// Median.
    pub median: Deltas,
    /// Third quartile.
    pub q3: Deltas,
}

/// Values without samples. The methodology's `statistic` names them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatedColumns {
    /// The values.
    pub center: Deltas,
    /// The lower end of the stated interval.
    pub low: OptionalDeltas,
    /// The upper end of the stated interval.
    pub high: OptionalDeltas,
}

/// The query of lines.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LineQuery {
    /// Series numbers, separated by commas: at most 200.
    #[param(value_type = String, example = "1,2,3")]
    series: SeriesIds,
    /// Some of min, p25, p50, p75, p90, p98, p99, p999 and max, separated by commas. The default is the fastest.
    #[param(value_type = Option<String>, example = "p50,p90,p99", default = "p50,p90,p99")]
    #[serde(default)]
    quantiles: Quantiles,
    /// Whether to include the quartiles of the repetitions' medians, as many numbers as three quantiles.
    #[param(default = true)]
    pub repetitions: Option<bool>,
    /// Whether to include rates, which only streams have.
    #[param(default = false)]
    pub rate: Option<bool>,
    /// The number of newest points per series. The default for a range of commits is all. The limit for all series
    /// together is 200,000.
    #[param(minimum = 1, maximum = 10_000, default = 1_000)]
    pub last: Option<i64>,
    /// Only commits from this ordinal.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Only commits up to and including this ordinal.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// The maximum number of points per line. Longer lines are thinned, except in CSV.
    #[param(minimum = 2, maximum = 10_000, default = 500)]
    pub points: Option<i64>,
    /// Selects the runs. The default is `main`, or all runs of `branch`.
    #[param(value_type = Option<LinesAsked>, inline)]
    pub lines: Option<LinesAsked>,
    /// Only runs of this branch.
    pub branch: Option<String>,
    /// Overrides the header `accept`.
    #[param(value_type = Option<Format>, inline)]
    pub format: Option<Format>,
}

/// Lines over commits, as columns.
#[utoipa::path(get, path = "/api/v1/charts/line", tag = "charts", params(LineQuery), responses(
    (status = 200, description = "The lines", content((LineChart = "application/json"), (String = "text/csv"))),
))]
pub(crate) async fn line_chart(
    State(state): State<AppState>,
    caller: Caller,
    Accept(accepted): Accept,
    Query(query): Query<LineQuery>,
) -> Result<Response, ApiError> {
    let count_max = within("points", query.points.unwrap_or(POINTS_DEFAULT), POINTS_MIN..=POINTS_MAX)?;
    let count_max = usize::try_from(count_max).map_err(ApiError::internal)?;
    let selection = query.selection()?;
    let keys = permitted::series(&state, &caller, query.series.as_slice()).await?;
    Ok(negotiated(match query.format.unwrap_or(accepted) {
        Format::Csv => table(state, &caller, keys, query).await?,
        Format::Json => Json(chart(&state, &keys, &selection, &query, count_max).await?).into_response(),
    }))
}

impl LineQuery {
    /// # Errors
    /// A parameter is out of range, or conflicts with another one.
    fn selection(&self) -> Result<Selection<'_>, ApiError> {
        let range = PointRange {
            last: self.last,
            from: self.from,
            to: self.to,
            lines: self.lines,
            branch: self.branch.as_deref(),
            series_count: self.series.as_slice().len(),
        };
        range.selection()
    }
}

async fn chart(
    state: &AppState,
    keys: &[SeriesKey],
    selection: &Selection<'_>,
    query: &LineQuery,
    count_max: usize,
) -> Result<LineChart, ApiError> {
    let quantiles = &query.quantiles;
    // Points are thinned by their p50 even if it was not requested.
    let read: Vec<_> = quantiles.as_slice().iter().copied().chain([Quantile::P50]).collect();
    let columns = Columns {
        quantiles: &read,
        repetitions: query.repetitions.unwrap_or(true),
        rate: query.rate.unwrap_or(false),
    };
    let rows = db::chart::lines(&state.pool, keys, selection, columns).await?;
    let (measured, empty): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| !row.commit_ordinals.is_empty());
    let without: Vec<_> =
        keys.iter().filter(|key| empty.iter().any(|row| row.series_id == key.series_id)).copied().collect();
    let stated = if without.is_empty() {
        Vec::new()
    } else {
        db::chart::stated(&state.pool, &without, selection).await?
    };
    let stated = stated.chunk_by(|one, next| one.series_id == next.series_id);
    let mut lines: HashMap<i64, LineSeries> = measured
        .iter()
        .map(|row| LineSeries::measured(row, quantiles, count_max))
        .chain(stated.map(|rows| LineSeries::stated(rows, count_max)))
        .map(|line| (line.series_id, line))
        .collect();
    let line = |key: &SeriesKey| {
        let nothing = || {
            LineSeries::measured(
                &LineRow { series_id: key.series_id, ..LineRow::default() },
                quantiles,
                count_max,
            )
        };
        lines.remove(&key.series_id).unwrap_or_else(nothing)
    };
    Ok(LineChart { series: keys.iter().map(line).collect() })
}

impl LineSeries {
    fn measured(row: &LineRow, quantiles: &Quantiles, count_max: usize) -> Self {
        let column = |wanted: Quantile| {
            let found = row.latency_ns.iter().find(|(quantile, _)| *quantile == wanted);
            found.map_or(&[][..], |(_, values)| values.as_slice())
        };
        let mut figures = vec![column(Quantile::P50)];
        if quantiles.highest() != Quantile::P50 {
            figures.push(column(quantiles.highest()));
        }
        let places = downsample::drawn(&figures, count_max);
        let of = |values: &[i64]| {
            places.iter().filter_map(|&place| values.get(place).copied()).collect::<Deltas>()
        };
        let is = |marks: &[bool]| delta::marked(places.iter().filter_map(|&place| marks.get(place).copied()));
        let requested = |quantile| quantiles.as_slice().contains(&quantile).then(|| of(column(quantile)));
        let environment_ids = places.iter().filter_map(|&place| row.environment_ids.get(place).copied());
        let repetitions = row.repetition_p50_ns.as_ref();
        Self {
            commit_ordinals: of(&row.commit_ordinals),
            environments: delta::environments(environment_ids),
            work_tree_modified: is(&row.work_tree_modified),
            lossy: is(&row.lossy),
            latency_ns: Some(LatencyColumns {
                min: requested(Quantile::Min),
                p25: requested(Quantile::P25),
                p50: requested(Quantile::P50),
                p75: requested(Quantile::P75),
                p90: requested(Quantile::P90),
                p98: requested(Quantile::P98),
                p99: requested(Quantile::P99),
                p999: requested(Quantile::P999),
                max: requested(Quantile::Max),
            }),
            repetition_p50_ns: repetitions.map(|[q1, median, q3]| RepetitionColumns {
                q1: of(q1),
                median: of(median),
                q3: of(q3),
            }),
            bytes_per_second: row
                .bytes_per_second
                .as_deref()
                .filter(|rates| rates.iter().all(|&rate| rate >= 0))
                .map(of),
            ..Self::drawn(row.series_id, row.commit_ordinals.len(), &places)
        }
    }

    /// The columns of a series' summaries, at least one.
    fn stated(rows: &[StatedRow], count_max: usize) -> Self {
        let centers: Vec<i64> = rows.iter().map(|row| row.latency_ns_center).collect();
        let places = downsample::drawn(&[&centers], count_max);
        let kept = || places.iter().filter_map(|&place| rows.get(place));
        Self {
            commit_ordinals: kept().map(|row| row.commit_ordinal).collect(),
            environments: delta::environments(kept().map(|row| row.environment_id)),
            work_tree_modified: delta::marked(kept().map(|row| row.work_tree_modified)),
            stated: Some(StatedColumns {
                center: kept().map(|row| row.latency_ns_center).collect(),
                low: kept().map(|row| row.latency_ns_low).collect(),
                high: kept().map(|row| row.latency_ns_high).collect(),
            }),
            ..Self::drawn(rows.first().map_or(0, |row| row.series_id), rows.len(), &places)
        }
    }

    /// The drawn points, without their values.
    fn drawn(series_id: i64, point_count: usize, places: &[usize]) -> Self {
        let is_thinned = places.len() < point_count;
        Self {
            series_id,
            point_count,
            is_thinned,
            kept: is_thinned.then(|| places.iter().map(|&place| place as i64).collect()),
            commit_ordinals: Deltas::default(),
            environments: Vec::new(),
            work_tree_modified: Vec::new(),
            lossy: Vec::new(),
            latency_ns: None,
            repetition_p50_ns: None,
            bytes_per_second: None,
            stated: None,
        }
    }
}

/// A measured or a stated point.
enum CsvRow {
    Measured(Point),
    Stated(StatedPoint),
}

const COLUMNS: &[Column<CsvRow>] = &[
    ("series_id", |row| either(row, |row| row.series_id, |row| row.series_id)),
    ("commit_ordinal", |row| either(row, |row| row.commit_ordinal, |row| row.commit_ordinal)),
    ("commit_sha", |row| either(row, |row| row.commit_sha.clone(), |row| row.commit_sha.clone())),
    ("run_id", |row| either(row, |row| row.run_id, |row| row.run_id)),
    ("environment_id", |row| either(row, |row| row.environment_id, |row| row.environment_id)),
    ("measured_at", |row| {
        either(row, |row| row.measured_at.to_rfc3339(), |row| row.measured_at.to_rfc3339())
    }),
    ("work_tree_modified", |row| either(row, |row| row.work_tree_modified, |row| row.work_tree_modified)),
    ("lossy", |row| measured(row, |row| row.lossy)),
    ("repetition_count", |row| measured(row, |row| row.repetition_count)),
    ("failure_count", |row| measured(row, |row| row.failure_count)),
    ("disturbed_count", |row| measured(row, |row| row.disturbed_count)),
    ("operation_count", |row| measured(row, |row| row.operation_count)),
    ("attempted", |row| measured(row, |row| row.attempted)),
    ("accepted", |row| measured(row, |row| row.accepted)),
    ("delivered", |row| measured(row, |row| row.delivered)),
    ("sum_ns", |row| measured(row, |row| row.latency_ns_sum)),
    ("min_ns", |row| measured(row, |row| row.latency_ns.min)),
    ("p25_ns", |row| measured(row, |row| row.latency_ns.p25)),
    ("p50_ns", |row| measured(row, |row| row.latency_ns.p50)),
    ("p75_ns", |row| measured(row, |row| row.latency_ns.p75)),
    ("p90_ns", |row| measured(row, |row| row.latency_ns.p90)),
    ("p98_ns", |row| measured(row, |row| row.latency_ns.p98)),
    ("p99_ns", |row| measured(row, |row| row.latency_ns.p99)),
    ("p999_ns", |row| measured(row, |row| row.latency_ns.p999)),
    ("max_ns", |row| measured(row, |row| row.latency_ns.max)),
    ("repetition_p50_q1_ns", |row| measured(row, |row| row.repetition_p50_ns.q1)),
    ("repetition_p50_median_ns", |row| measured(row, |row| row.repetition_p50_ns.median)),
    ("repetition_p50_q3_ns", |row| measured(row, |row| row.repetition_p50_ns.q3)),
    ("throughput_bytes_per_second", |row| measured(row, |row| cell(row.throughput_bytes_per_second))),
    ("stated_center_ns", |row| stated(row, |row| row.latency_ns_center)),
    ("stated_low_ns", |row| stated(row, |row| cell(row.latency_ns_low))),
    ("stated_high_ns", |row| stated(row, |row| cell(row.latency_ns_high))),
];

fn either<T: ToString>(row: &CsvRow, measured: fn(&Point) -> T, stated: fn(&StatedPoint) -> T) -> String {
    match row {
        CsvRow::Measured(row) => measured(row).to_string(),
        CsvRow::Stated(row) => stated(row).to_string(),
    }
}

fn measured<T: ToString>(row: &CsvRow, of: fn(&Point) -> T) -> String {
    match row {
        CsvRow::Measured(row) => of(row).to_string(),
        CsvRow::Stated(_) => String::new(),
    }
}

fn stated<T: ToString>(row: &CsvRow, of: fn(&StatedPoint) -> T) -> String {
    match row {
        CsvRow::Measured(_) => String::new(),
        CsvRow::Stated(row) => of(row).to_string(),
    }
}

/// The table of all points, one series after the other, so that only one series is in memory at a time. The first series
/// are read before the answer begins; an error in a later one breaks it off.
async fn table(
    state: AppState,
    caller: &Caller,
    keys: Vec<SeriesKey>,
    query: LineQuery,
) -> Result<Response, ApiError> {
    let mut text = Table::new(COLUMNS)?.text()?;
    let mut keys = keys.into_iter();
    let selection = query.selection()?;
    while text.len() < TEXT_BYTES_MAX
        && let Some(key) = keys.next()
    {
        text.append(&mut rows(&state, key, &selection).await?);
    }
    if keys.len() == 0 {
        return Ok(file("points", text));
    }
    let share = state.unread.take(caller, caller.client(), SERIES_BYTES_MAX)?;
    let rest = stream::try_unfold((state, keys, query), async |(state, mut keys, query)| {
        let Some(key) = keys.next() else { return Ok(None) };
        let text = rows(&state, key, &query.selection()?).await?;
        Ok(Some((text, (state, keys, query))))
    });
    let rest = rest.inspect_err(|error: &ApiError| tracing::error!(%error, "cannot finish a table"));
    let text = stream::iter([Ok(text)]).chain(rest);
    Ok(file("points", share.hold(Body::from_stream(text))))
}

/// The rows of a series.
async fn rows(state: &AppState, key: SeriesKey, selection: &Selection<'_>) -> Result<Vec<u8>, ApiError> {
    let mut rows = Table::rows(COLUMNS);
    for row in db::point::selected(&state.pool, &[key], selection).await? {
        rows.push(&CsvRow::Measured(row))?;
    }
    for row in db::summary::selected(&state.pool, &[key], selection).await? {
        rows.push(&CsvRow::Stated(row))?;
    }
    rows.text()
}
