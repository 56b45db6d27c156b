//! Where series change their level.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Query};
use crate::routes::permitted;
use crate::routes::series::SeriesIds;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::analysis::Direction;
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangeCause, Row};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where some series change their level.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangePointList {
    /// By series, then in the order of commits.
    pub change_points: Vec<ChangePoint>,
}

/// A commit from which on a series has another level, in one environment of its machine.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ChangePoint {
    /// Its number.
    pub change_point_id: i64,
    /// Of which series.
    pub series_id: i64,
    /// Among the points of which fingerprint of the machine.
    pub environment_id: i64,
    /// Of what: `p50`, the median over the repetitions' medians, or `p99` of all operations.
    #[schema(example = "p50")]
    pub figure: &'static str,
    /// The first commit of the new level: the place in its project.
    pub commit_ordinal: i64,
    /// The same: full object name.
    pub commit_sha: String,
    /// The newest measured commit that is before the change with a probability of 95 %.
    pub after_commit_ordinal: i64,
    /// The measured commit up to which it happened with the same probability.
    pub until_commit_ordinal: i64,
    /// The measured commits at which the new level may begin.
    pub places: Vec<ChangePlace>,
    /// The level before, in nanoseconds.
    pub before_ns: f64,
    /// The level after it.
    pub after_ns: f64,
    /// By how much times are longer, as a share.
    pub change: f64,
    /// Whether they are longer or shorter.
    pub direction: Direction,
    /// One less the probability that a series without a change, seen once, is as uneven.
    pub confidence: f64,
    /// False when it is too small to be reported.
    pub matters: bool,
    /// What made it; null while the witnesses were not heard, and where it does not matter.
    #[schema(required)]
    pub cause: Option<ChangeCause>,
    /// What the witnesses say, as sentences.
    pub witnesses: Vec<String>,
    /// The regression that it is part of.
    #[schema(required)]
    pub regression_id: Option<i64>,
    /// When it was found.
    pub found_at: DateTime<Utc>,
}

/// A measured commit at which a new level may begin.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ChangePlace {
    /// The place of the commit.
    pub commit_ordinal: i64,
    /// How probable it is.
    pub probability: f64,
}

/// Which series are asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChangePointQuery {
    /// Series numbers, separated by commas: at most 200.
    #[param(value_type = String, example = "1,2,3")]
    series: SeriesIds,
}

/// Where series change their level.
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

impl From<Row> for ChangePoint {
    fn from(row: Row) -> Self {
        let found = row.found;
        Self {
            change_point_id: row.change_point_id,
            series_id: found.track.series_id,
            environment_id: found.track.environment_id,
            figure: found.track.figure.into(),
            commit_ordinal: found.ordinal,
            commit_sha: row.commit_sha,
            after_commit_ordinal: found.after_ordinal,
            until_commit_ordinal: found.until_ordinal,
            places: found
                .places
                .iter()
                .map(|&(commit_ordinal, probability)| ChangePlace { commit_ordinal, probability })
                .collect(),
            before_ns: found.before_ns,
            after_ns: found.after_ns,
            change: found.change(),
            direction: Direction::of(found.change()),
            confidence: found.confidence,
            matters: found.matters,
            cause: row.cause,
            witnesses: row.witnesses,
            regression_id: row.regression_id,
            found_at: row.found_at,
        }
    }
}
