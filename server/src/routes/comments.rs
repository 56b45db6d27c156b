//! Comments on regressions, and the timeline that contains them.

use super::permitted;
use super::regressions::{RegressionPath, find};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path};
use axum::extract::State;
use axum::{Json, http::StatusCode};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::comments::{self, CommentRequest};
use roundtrip_domain::timeline::{self, TimelineEntry};
use roundtrip_storage::regression::timeline::Comment;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Comments on a regression and changes of its triage.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Timeline {
    /// The oldest first: the newest 500 comments and 500 changes.
    pub entries: Vec<TimelineEntry>,
}

/// A comment in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CommentPath {
    /// The project's name.
    pub project: Slug,
    /// The regression's number.
    pub regression_id: i64,
    /// The comment's number.
    pub comment_id: i64,
}

/// Comments on a regression and changes of its triage.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions/{regression_id}/timeline", tag = "regressions",
    params(RegressionPath), responses(
    (status = 200, description = "The entries, oldest first", body = Timeline),
))]
pub(crate) async fn get_timeline(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
) -> Result<Json<Timeline>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Read, &path.project).await?;
    find(&state, project.project_id, path.regression_id).await?;
    let entries = timeline::of_regression(&state.pool, path.regression_id).await?;
    Ok(Json(Timeline { entries }))
}

/// Adds a comment to a regression.
#[utoipa::path(
    post, path = "/api/v1/projects/{project}/regressions/{regression_id}/comments", tag = "regressions",
    params(RegressionPath), request_body = CommentRequest,
    security(("token" = ["project:write"]), ("session" = [])), responses(
    (status = 201, description = "The comment", body = Comment),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn add_comment(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
    Body(request): Body<CommentRequest>,
) -> Result<(StatusCode, Json<Comment>), ApiError> {
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    let comment = comments::add(&state.pool, &caller.by(), &project, path.regression_id, &request).await?;
    Ok((StatusCode::CREATED, Json(comment)))
}

/// Deletes a comment: your own, or any as a maintainer.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/regressions/{regression_id}/comments/{comment_id}",
    tag = "regressions", params(CommentPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete_comment(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<CommentPath>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    let of_others = caller.check(Action::Configure, &project.project, project.visibility);
    let place = (path.regression_id, path.comment_id);
    comments::delete(&state.pool, &caller.by(), &project, place, of_others).await?;
    Ok(StatusCode::NO_CONTENT)
}
