//! Heat maps of distributions over commits.

use super::{LinesAsked, PointRange};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Query, within};
use crate::routes::permitted;
use axum::{Json, extract::State};
use futures_util::TryStreamExt;
use futures_util::stream::TryChunksError;
use roundtrip_domain::charts::heatmap::{HeatMap, HeatMapColumns, STEPS_PER_DOUBLING};
use roundtrip_domain::error::Kind;
use roundtrip_stats::InvalidDistribution;
use roundtrip_storage as db;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::ToSchema;

/// The maximum and default number of columns.
pub(crate) const COLUMNS_MAX: i64 = 1_000;
/// The minimum number of columns after merging neighbours.
pub(crate) const COLUMNS_MIN: i64 = 10;
/// The number of histograms sent to the decoding thread together. Waking the thread takes as long as decoding one.
const CHUNK: usize = 64;

/// The distributions of one series over commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HeatMapChart {
    /// The series.
    pub series_id: i64,
    /// The number of stored points in the request.
    pub point_count: usize,
    /// Points without a stored distribution.
    pub missing_count: usize,
    /// The number of commits in the columns; larger than the number of columns if neighbours were merged.
    pub commit_count: usize,
    /// The number of bins per doubling of the time.
    pub steps_per_doubling: u32,
    /// The columns.
    pub columns: HeatMapColumns,
}

/// The query of a heat map.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct HeatMapQuery {
    /// The series' number.
    pub series: i64,
    /// The number of newest points. The default for a range of commits is all, up to 10,000.
    #[param(minimum = 1, maximum = 10_000, default = 1_000)]
    pub last: Option<i64>,
    /// Only commits from this ordinal.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Only commits up to and including this ordinal.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// The maximum number of columns. With more commits, neighbours are merged.
    #[param(minimum = 10, maximum = 1_000, default = 1_000)]
    pub columns: Option<i64>,
    /// Selects the runs. The default is `main`, or all runs of `branch`.
    #[param(value_type = Option<LinesAsked>, inline)]
    pub lines: Option<LinesAsked>,
    /// Only runs of this branch.
    pub branch: Option<String>,
}

/// Distributions over commits, one column per commit.
#[utoipa::path(get, path = "/api/v1/charts/heatmap", tag = "charts", params(HeatMapQuery), responses(
    (status = 200, description = "The heat map", body = HeatMapChart),
))]
pub(crate) async fn heat_map(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<HeatMapQuery>,
) -> Result<Json<HeatMapChart>, ApiError> {
    let count_max = within("columns", query.columns.unwrap_or(COLUMNS_MAX), COLUMNS_MIN..=COLUMNS_MAX)?;
    let count_max = usize::try_from(count_max).map_err(ApiError::internal)?;
    let range = PointRange {
        last: query.last,
        from: query.from,
        to: query.to,
        lines: query.lines,
        branch: query.branch.as_deref(),
        series_count: 1,
    };
    let selection = range.selection()?;
    let unknown = || ApiError::unknown(Kind::Series, query.series);
    let key =
        permitted::series(&state, &caller, &[query.series]).await?.into_iter().next().ok_or_else(unknown)?;

    // A separate thread decodes while the next histograms are read.
    let (send, mut receive) = mpsc::channel::<Vec<db::chart::HistogramRow>>(1);
    let decoded = tokio::task::spawn_blocking(move || {
        let mut chart = Chart::default();
        while let Some(rows) = receive.blocking_recv() {
            rows.iter().try_for_each(|row| chart.add(row))?;
        }
        Ok::<_, InvalidDistribution>(chart.finish(query.series, count_max))
    });
    let mut chunks = db::chart::histograms(&state.pool, key, &selection).try_chunks(CHUNK);
    while let Some(rows) = chunks.try_next().await.map_err(|TryChunksError(_, error)| error)? {
        if send.send(rows).await.is_err() {
            // Decoding failed. The thread's error is reported below.
            break;
        }
    }
    drop(send);
    // Histograms were checked when stored, so a failure now is an internal error.
    Ok(Json(decoded.await.map_err(ApiError::internal)?.map_err(ApiError::internal)?))
}

#[derive(Default)]
struct Chart {
    heat_map: HeatMap,
    point_count: usize,
    missing_count: usize,
}

impl Chart {
    fn add(&mut self, row: &db::chart::HistogramRow) -> Result<(), InvalidDistribution> {
        self.point_count += 1;
        match &row.histogram {
            Some(histogram) => self.heat_map.add(row.commit_ordinal, row.lossy, histogram)?,
            None => self.missing_count += 1,
        }
        Ok(())
    }

    fn finish(self, series_id: i64, count_max: usize) -> HeatMapChart {
        HeatMapChart {
            series_id,
            point_count: self.point_count,
            missing_count: self.missing_count,
            commit_count: self.heat_map.commit_count(),
            steps_per_doubling: STEPS_PER_DOUBLING,
            columns: self.heat_map.columns(count_max),
        }
    }
}
