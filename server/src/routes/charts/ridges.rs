//! The newest distributions of many series, for lists.

use super::PointRange;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Query};
use crate::routes::permitted;
use crate::routes::series::SeriesIds;
use axum::{Json, extract::State};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use roundtrip_domain::charts::heatmap::{HeatMap, HeatMapColumns, STEPS_PER_DOUBLING};
use roundtrip_storage as db;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// The number of commits: the newest one and the one before it.
const COMMITS: usize = 2;
/// The number of newest points that are searched for them. A commit may have several.
const POINTS: i64 = 8;
/// The number of series that are read at the same time.
const PARALLEL: usize = 4;

/// The newest distributions of series.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RidgeChart {
    /// The number of bins per doubling of the time.
    pub steps_per_doubling: u32,
    /// One entry per series, in the order of the request.
    pub series: Vec<Ridges>,
}

/// The distributions of a series at its newest two commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ridges {
    /// The series.
    pub series_id: i64,
    /// At most two columns of a heat map.
    pub columns: HeatMapColumns,
}

/// The requested series.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RidgeQuery {
    /// Series numbers, separated by commas: at most 200.
    #[param(value_type = String, example = "1,2,3")]
    series: SeriesIds,
}

/// The distributions of series at their newest two commits, within their newest eight points on the main line.
#[utoipa::path(get, path = "/api/v1/charts/ridges", tag = "charts", params(RidgeQuery), responses(
    (status = 200, description = "The distributions", body = RidgeChart),
))]
pub(crate) async fn ridge_chart(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<RidgeQuery>,
) -> Result<Json<RidgeChart>, ApiError> {
    let keys = permitted::series(&state, &caller, query.series.as_slice()).await?;
    let range =
        PointRange { last: Some(POINTS), from: None, to: None, lines: None, branch: None, series_count: 1 };
    let selection = range.selection()?;
    let ridges = |key: db::point::SeriesKey| {
        let rows = db::chart::histograms(&state.pool, key, &selection);
        async move {
            let rows: Vec<_> = rows.try_collect().await?;
            let stored = || rows.iter().filter_map(|row| Some((row, row.histogram.as_ref()?)));
            let commits: BTreeSet<i64> = stored().map(|(row, _)| row.commit_ordinal).collect();
            let newest: Vec<i64> = commits.into_iter().rev().take(COMMITS).collect();
            let mut heat_map = HeatMap::default();
            for (row, histogram) in stored().filter(|(row, _)| newest.contains(&row.commit_ordinal)) {
                let added = heat_map.add(row.commit_ordinal, row.lossy, histogram);
                // Histograms were checked when stored.
                added.map_err(ApiError::internal)?;
            }
            Ok::<_, ApiError>(Ridges { series_id: key.series_id, columns: heat_map.columns(COMMITS) })
        }
    };
    let series = stream::iter(keys).map(ridges).buffered(PARALLEL).try_collect().await?;
    Ok(Json(RidgeChart { steps_per_doubling: STEPS_PER_DOUBLING, series }))
}
