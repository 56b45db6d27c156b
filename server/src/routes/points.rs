//! Points: one run's result in one series.

use super::charts::LinesAsked;
use super::permitted;
use super::series::SeriesIds;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query, within};
use axum::{Json, extract::State};
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_domain::ingest;
use roundtrip_stats::{Distribution, comparison};
use roundtrip_storage as db;
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::point::{Lines, Point, Selection};
use roundtrip_storage::retention::Pruned;
use roundtrip_storage::summary::StatedPoint;
use roundtrip_wire::{EndObservation, Repetition, RunId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use utoipa::ToSchema;
use uuid::Uuid;

/// The maximum number of points per series in one response.
pub(crate) const POINTS_MAX: i64 = 10_000;
/// The maximum number of points over all series in one response, because they are held in memory.
const POINTS_OF_ALL_MAX: i64 = 20_000;
/// The default number of points per series.
pub(crate) const POINTS_DEFAULT: i64 = 500;
/// The resolution of a point's distribution: steps of 9 %.
const STEPS_PER_DOUBLING: u32 = 8;

/// Points of several series, with their commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PointList {
    /// The commits that the points refer to, in ascending order.
    pub commits: Vec<CommitSummary>,
    /// One entry per series, in the order of the request.
    pub series: Vec<SeriesPoints>,
}

/// The newest points of one series.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeriesPoints {
    /// The series.
    pub series_id: i64,
    /// By commit, then by the start of the run, ascending.
    pub points: Vec<Point>,
    /// In the same order: other tools' values without samples. A series has points or summaries.
    pub summaries: Vec<StatedPoint>,
}

/// One point with its distribution and its repetitions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PointDetail {
    /// The point.
    pub point: Point,
    /// The merged distribution in eight equal steps per doubling, without gaps; empty if deleted.
    pub histogram: Vec<HistogramBin>,
    /// The finished repetitions, by index; empty if the upload was deleted.
    pub repetitions: Vec<RepetitionDetail>,
    /// The 95 % interval of the median of the repetitions' medians; null with fewer than six repetitions, or if the
    /// upload was deleted.
    #[schema(required)]
    pub p50_interval_ns: Option<[u64; 2]>,
    /// Deleted data, with dates.
    pub pruned: Pruned,
}

/// A histogram bin.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistogramBin {
    /// From this many nanoseconds,
    pub from_ns: u64,
    /// to less than this many:
    pub to_ns: u64,
    /// The number of operations.
    pub count: u64,
}

/// One repetition, decoded from the original upload.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RepetitionDetail {
    /// The index, from 0.
    pub index: u32,
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// The exact minimum.
    pub min_ns: u64,
    /// The exact maximum.
    pub max_ns: u64,
    /// Recorded operations.
    pub count: u64,
    /// Attempted messages.
    pub attempted: u64,
    /// Messages that the transport accepted.
    pub accepted: u64,
    /// Messages that arrived intact, summed over receivers.
    pub delivered: u64,
    /// Messages that arrived after a later one.
    pub out_of_order: u64,
    /// Messages that arrived with content that was never sent.
    pub corrupted: u64,
    /// Operating-system counters of each end, senders first.
    pub ends: Vec<EndObservation>,
    /// Reasons to doubt it; empty when there are none.
    pub disturbed: Vec<String>,
}

/// Selects points.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PointQuery {
    /// Series numbers, separated by commas: at most 200.
    #[param(value_type = String, example = "1,2,3")]
    series: SeriesIds,
    /// The number of newest points per series. The limit for all series together is 20,000.
    #[param(minimum = 1, maximum = 10000, default = 500)]
    pub limit: Option<i64>,
    /// Only commits from this ordinal.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Only commits up to and including this ordinal.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// `main`: only points of the trend, and all summaries. The default is all points.
    #[param(inline)]
    pub lines: Option<LinesAsked>,
}

/// A series in a run, in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PointPath {
    /// The run's identity.
    pub run_id: RunId,
    /// The series' number.
    pub series_id: i64,
}

/// The newest points of several series.
#[utoipa::path(get, path = "/api/v1/points", tag = "points", params(PointQuery), responses(
    (status = 200, description = "The points", body = PointList),
))]
pub(crate) async fn list_points(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<PointQuery>,
) -> Result<Json<PointList>, ApiError> {
    let series_count = i64::try_from(query.series.as_slice().len()).unwrap_or(i64::MAX).max(1);
    let limit_max = POINTS_MAX.min(POINTS_OF_ALL_MAX / series_count);
    let limit = within("limit", query.limit.unwrap_or(POINTS_DEFAULT.min(limit_max)), 1..=POINTS_MAX)?;
    if limit > limit_max {
        let detail = format!("{limit} points of {series_count} series: expected at most {limit_max} of each");
        return Err(ApiError::parameter("limit", detail));
    }
    let (from_ordinal, to_ordinal) = ordinals(query.from, query.to)?;
    let lines = if query.lines == Some(LinesAsked::Main) { Lines::Main } else { Lines::All };
    let selection = Selection { from_ordinal, to_ordinal, last: limit, lines };
    let series_ids = query.series.as_slice();
    let keys = permitted::series(&state, &caller, series_ids).await?;
    let mut commit_ids = HashSet::new();
    let mut points: HashMap<i64, Vec<Point>> = HashMap::new();
    for row in db::point::selected(&state.pool, &keys, &selection).await? {
        commit_ids.insert(row.commit_id);
        points.entry(row.series_id).or_default().push(row);
    }
    let mut summaries: HashMap<i64, Vec<StatedPoint>> = HashMap::new();
    for row in
        db::summary::selected(&state.pool, &keys, &Selection { lines: Lines::All, ..selection }).await?
    {
        commit_ids.insert(row.commit_id);
        summaries.entry(row.series_id).or_default().push(row);
    }
    let commit_ids: Vec<_> = commit_ids.into_iter().collect();
    let commits = db::commit::list(&state.pool, &commit_ids).await?;
    let series = series_ids.iter().map(|&series_id| SeriesPoints {
        series_id,
        points: points.remove(&series_id).unwrap_or_default(),
        summaries: summaries.remove(&series_id).unwrap_or_default(),
    });
    Ok(Json(PointList { commits, series: series.collect() }))
}

/// One point with its distribution and its repetitions.
#[utoipa::path(
    get, path = "/api/v1/runs/{run_id}/series/{series_id}", tag = "points", params(PointPath), responses(
    (status = 200, description = "The point", body = PointDetail),
    (status = 410, description = "`pruned`: the point was deleted, with the date"),
))]
pub(crate) async fn get_point(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PointPath>,
) -> Result<Json<PointDetail>, ApiError> {
    let run_id = path.run_id.as_uuid();
    let unknown = || ApiError::unknown(Kind::Point, format!("series {} in run {run_id}", path.series_id));
    let run = permitted::run(&state, &caller, run_id).await?.ok_or_else(unknown)?;
    let row = db::point::of_run(&state.pool, run, &[path.series_id]).await?.into_iter().next();
    let pruned = db::retention::pruned(&state.pool, run_id).await?;
    let row = row.ok_or_else(|| match pruned.points_pruned_at {
        Some(at) => DomainError::Pruned { what: "the points", run_id, at }.into(),
        None => unknown(),
    })?;
    let series = permitted::series(&state, &caller, &[path.series_id]).await?.into_iter().next();
    let series = series.ok_or_else(unknown)?;
    let histogram = match db::point::histogram(&state.pool, series, run_id).await? {
        Some(stored) => histogram(&row, &stored)?,
        None => Vec::new(),
    };
    let repetitions =
        ingest::stored_upload::repetitions(&state.pool, run, path.series_id, RepetitionDetail::new).await?;
    Ok(Json(PointDetail::new(row, histogram, repetitions.unwrap_or_default(), pruned)))
}

/// All points of a public run, by series.
///
/// # Errors
/// There is no run with this id.
pub(crate) async fn of_run(state: &AppState, run_id: Uuid) -> Result<BTreeMap<i64, PointDetail>, ApiError> {
    let (_, run) = db::access::owner::of_run(&state.pool, run_id)
        .await?
        .ok_or_else(|| ApiError::unknown(Kind::Run, run_id))?;
    let pruned = db::retention::pruned(&state.pool, run_id).await?;
    let outcomes = db::run::outcomes(&state.pool, run).await?;
    let series_ids: Vec<i64> = outcomes.into_iter().map(|(series_id, _)| series_id).collect();
    let points = db::point::of_run(&state.pool, run, &series_ids).await?;
    let histograms = db::point::histograms_of_run(&state.pool, run, &series_ids).await?;
    let histograms: HashMap<i64, Vec<u8>> = histograms.into_iter().collect();
    let repetitions =
        ingest::stored_upload::repetitions_of_all(&state.pool, run, RepetitionDetail::new).await?;
    // Both are in the order of the upload.
    let mut repetitions: HashMap<i64, Vec<RepetitionDetail>> =
        series_ids.into_iter().zip(repetitions.unwrap_or_default()).collect();
    let details = points.into_iter().map(|point| {
        let series_id = point.series_id;
        let stored = histograms.get(&series_id);
        let histogram = stored.map(|stored| histogram(&point, stored)).transpose()?.unwrap_or_default();
        let repetitions = repetitions.remove(&series_id).unwrap_or_default();
        Ok((series_id, PointDetail::new(point, histogram, repetitions, pruned)))
    });
    details.collect()
}

impl PointDetail {
    fn new(
        point: Point,
        histogram: Vec<HistogramBin>,
        repetitions: Vec<RepetitionDetail>,
        pruned: Pruned,
    ) -> Self {
        let medians_ns: Vec<u64> = repetitions.iter().map(|repetition| repetition.p50_ns).collect();
        let p50_interval_ns = comparison::Side::of(&medians_ns).and_then(|side| side.interval_ns);
        Self { point, histogram, repetitions, p50_interval_ns, pruned }
    }
}

fn histogram(row: &Point, stored: &[u8]) -> Result<Vec<HistogramBin>, ApiError> {
    let (min_ns, max_ns, sum_ns) = (row.latency_ns.min, row.latency_ns.max, row.latency_ns_sum);
    let exact = (min_ns.cast_unsigned(), max_ns.cast_unsigned(), sum_ns.cast_unsigned());
    let merged = Distribution::of_stored(stored, exact).map_err(ApiError::internal)?;
    let bin = |(from_ns, to_ns, count)| HistogramBin { from_ns, to_ns, count };
    Ok(merged.log_bins(STEPS_PER_DOUBLING).into_iter().map(bin).collect())
}

/// A range of ordinals in a query; the default is all.
pub(super) fn ordinals(from: Option<i64>, to: Option<i64>) -> Result<(i64, i64), ApiError> {
    match (from.unwrap_or(0), to.unwrap_or(i64::MAX)) {
        (from, _) if from < 0 => Err(ApiError::parameter("from", format!("{from} is below 0"))),
        (from, to) if to < from => {
            Err(ApiError::parameter("to", format!("{to} is below {from}: expected that or more")))
        }
        range => Ok(range),
    }
}

impl RepetitionDetail {
    fn new(repetition: Repetition, distribution: &Distribution) -> Self {
        Self {
            index: repetition.index,
            p50_ns: distribution.quantile_ns(500_000),
            p99_ns: distribution.quantile_ns(990_000),
            min_ns: repetition.min_ns,
            max_ns: repetition.max_ns,
            count: repetition.count,
            attempted: repetition.attempted,
            accepted: repetition.accepted,
            delivered: repetition.delivered,
            out_of_order: repetition.out_of_order,
            corrupted: repetition.corrupted,
            ends: repetition.ends,
            disturbed: repetition.disturbed,
        }
    }
}
