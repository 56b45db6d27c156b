//! Distributions over commits, as a heat map draws them.

use super::{Asked, LinesAsked};
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

/// The most columns, and as many unless asked otherwise.
pub const COLUMNS_MAX: i64 = 1_000;
/// The fewest columns that neighbours are merged to.
pub const COLUMNS_MIN: i64 = 10;
/// Histograms that are handed over to be decoded at a time: waking who decodes takes as long as decoding one.
const CHUNK: usize = 64;

/// The distributions of one series over commits.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeatMapChart {
    /// Which series.
    pub series_id: i64,
    /// How many points were asked for and are stored.
    pub point_count: usize,
    /// Of these, points whose distribution is no longer kept.
    pub missing_count: usize,
    /// Commits that are in the columns: more than there are columns where neighbours were merged.
    pub commit_count: usize,
    /// How many bins a doubling of the time has.
    pub steps_per_doubling: u32,
    /// The columns.
    pub columns: HeatMapColumns,
}

/// Which heat map is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HeatMapQuery {
    /// The series' number.
    pub series: i64,
    /// The newest so many points. Of a range of commits all, up to 10,000, unless this says less.
    #[param(minimum = 1, maximum = 10_000, default = 1_000)]
    pub last: Option<i64>,
    /// Only commits from this ordinal on.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Only commits up to this ordinal, which is included.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// The most columns: of more commits, neighbours are merged.
    #[param(minimum = 10, maximum = 1_000, default = 1_000)]
    pub columns: Option<i64>,
    /// `main`, unless a branch is named.
    #[param(value_type = Option<LinesAsked>, inline)]
    pub lines: Option<LinesAsked>,
    /// Only runs of this branch.
    pub branch: Option<String>,
}

/// Distributions over commits, a column a commit.
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
    let asked = Asked {
        last: query.last,
        from: query.from,
        to: query.to,
        lines: query.lines,
        branch: query.branch.as_deref(),
        series_count: 1,
    };
    let selection = asked.selection()?;
    let unknown = || ApiError::unknown(Kind::Series, query.series);
    let key =
        permitted::series(&state, &caller, &[query.series]).await?.into_iter().next().ok_or_else(unknown)?;

    // Decoded while the next ones are read, by a thread that has nothing else to do.
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
            // One could not be decoded: the thread ended, and says so below.
            break;
        }
    }
    drop(send);
    // They were checked when they were stored, so a failure now is ours.
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
