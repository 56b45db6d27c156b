//! Change points of series.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Query};
use crate::routes::permitted;
use crate::routes::series::SeriesIds;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::analysis::Direction;
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangeCause, ChangeKind, ChangePointRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Change points of series.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangePointList {
    /// The change points, by series and commit.
    pub change_points: Vec<ChangePoint>,
}

/// The first commit of a series' new level in one environment of its machine.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ChangePoint {
    /// The id of the change point.
    pub change_point_id: i64,
    /// The series.
    pub series_id: i64,
    /// The environment of the points.
    pub environment_id: i64,
    /// The statistic: `p50`, the median of the repetitions' medians; `p99` of all operations; or `tail`, the p99 divided
    /// by the p50. A change of the tail has no cause and is in no regression.
    #[schema(example = "p50")]
    pub figure: &'static str,
    /// The first commit of the new level: its ordinal in the project.
    pub commit_ordinal: i64,
    /// The first commit of the new level: its full SHA.
    pub commit_sha: String,
    /// What kind of change it is: `step`, `drift` (small steps that add up since `after_commit_ordinal`), or `known_state`
    /// (the machine switched between two levels that it had before).
    pub kind: ChangeKind,
    /// The newest measured commit that is before the change with a probability of 95 %. For a drift, the commit at which
    /// the level before it began.
    pub after_commit_ordinal: i64,
    /// The measured commit up to which it happened with the same probability.
    pub until_commit_ordinal: i64,
    /// The measured commits at which the new level may begin; none for a drift.
    pub places: Vec<ChangePlace>,
    /// The level before, in nanoseconds; for `tail`, a ratio.
    pub before_level: f64,
    /// The level after it, likewise.
    pub after_level: f64,
    /// The increase in times, or in the ratio, as a share.
    pub change: f64,
    /// The direction of the change. For `tail`, `regressed` is a larger ratio, which a faster p50 causes, too.
    pub direction: Direction,
    /// One minus the probability that a single test of a series without a change gives as much evidence.
    pub confidence: f64,
    /// False if the change is too small to be reported.
    pub matters: bool,
    /// The cause; null before attribution, and for changes that are not reported.
    #[schema(required)]
    pub cause: Option<ChangeCause>,
    /// The evidence from reference series, as sentences.
    pub witnesses: Vec<String>,
    /// The regression that contains it.
    #[schema(required)]
    pub regression_id: Option<i64>,
    /// The time of detection.
    pub found_at: DateTime<Utc>,
}

/// A measured commit at which the new level may begin.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct ChangePlace {
    /// The ordinal of the commit.
    pub commit_ordinal: i64,
    /// Its probability.
    pub probability: f64,
}

/// The requested series.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangePointQuery {
    /// Series numbers, separated by commas: at most 200.
    #[param(value_type = String, example = "1,2,3")]
    series: SeriesIds,
}

/// Change points of series.
#[utoipa::path(get, path = "/api/v1/charts/changes", tag = "charts", params(ChangePointQuery), responses(
    (status = 200, description = "The changes", body = ChangePointList),
))]
pub(crate) async fn list_change_points(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<ChangePointQuery>,
) -> Result<Json<ChangePointList>, ApiError> {
    let keys = permitted::series(&state, &caller, query.series.as_slice()).await?;
    let series_ids: Vec<i64> = keys.iter().map(|key| key.series_id).collect();
    let rows = db::change_point::of_series(&state.pool, &series_ids).await?;
    Ok(Json(ChangePointList { change_points: rows.into_iter().map(ChangePoint::from).collect() }))
}

impl From<ChangePointRow> for ChangePoint {
    fn from(row: ChangePointRow) -> Self {
        let direction = row.direction();
        let found = row.found;
        Self {
            change_point_id: row.change_point_id,
            series_id: found.track.series_id,
            environment_id: found.track.environment_id,
            figure: found.track.figure.into(),
            commit_ordinal: found.ordinal,
            commit_sha: row.commit_sha,
            kind: found.kind,
            after_commit_ordinal: found.after_ordinal,
            until_commit_ordinal: found.until_ordinal,
            places: found
                .places
                .iter()
                .map(|&(commit_ordinal, probability)| ChangePlace { commit_ordinal, probability })
                .collect(),
            before_level: found.before_level,
            after_level: found.after_level,
            change: found.change(),
            direction,
            confidence: found.confidence,
            matters: found.matters,
            cause: row.cause,
            witnesses: row.witnesses,
            regression_id: row.regression_id,
            found_at: row.found_at,
        }
    }
}
