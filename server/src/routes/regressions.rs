//! Regressions: changes with one cause, and their triage.

use super::charts::changes::ChangePoint;
use super::permitted;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, CommaSeparated, Cursor, Json as Body, Page, Paged, Path};
use axum::{Json, extract::State};
use roundtrip_domain::access::Action;
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::analysis::culprits::{Culprit, of_regression};
use roundtrip_domain::audited::regressions::{RegressionChange, triage};
use roundtrip_domain::audited::{check_text, is_web_address};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::change_point::ChangeCause;
use roundtrip_storage::regression::{self, Filter, Regression, RegressionKind, State as Progress};
use roundtrip_wire::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum length of a note, in characters.
const NOTE_MAX: usize = 4_000;
/// The maximum length of an address.
const URL_MAX: usize = 2_000;

/// Regressions of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RegressionList {
    /// The newest first.
    pub regressions: Vec<Regression>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A regression with all details.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RegressionDetail {
    /// The regression.
    pub regression: Regression,
    /// Its change points, and those that reverted them.
    pub change_points: Vec<ChangePoint>,
    /// The suspect commits, most probable first; none for a drift, and if a machine is the cause.
    pub culprits: Vec<Culprit>,
}

/// Filters for regressions.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RegressionQuery {
    /// States, separated by commas: new, acknowledged, fixed, invalid or machine. The default is all.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "new,acknowledged")]
    pub state: CommaSeparated<Progress>,
    /// The direction, regressed or improved.
    #[param(value_type = Option<Direction>, inline)]
    pub direction: Option<Direction>,
    /// Whether to include muted and held regressions.
    #[param(default = false)]
    pub quiet: Option<bool>,
    /// Only regressions that begin or end at this commit: the full object name. They begin at the culprit; if it is not
    /// known, at the last suspect.
    #[param(value_type = Option<String>)]
    pub commit: Option<CommitSha>,
}

/// A regression in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RegressionPath {
    /// The project's name.
    pub project: Slug,
    /// The regression's number.
    pub regression_id: i64,
}

/// The regressions of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions", tag = "regressions",
    params(ProjectPath, RegressionQuery, Page), responses(
    (status = 200, description = "The regressions, the newest first", body = RegressionList),
))]
pub(crate) async fn list_regressions(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<RegressionQuery, i64>,
) -> Result<Json<RegressionList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = Filter {
        states: paged.query.state.0.clone(),
        direction: paged.query.direction,
        with_quiet: paged.query.quiet.unwrap_or(false),
        commit_sha: paged.query.commit.as_ref().map(ToString::to_string),
    };
    let before = paged.after.unwrap_or(i64::MAX);
    let rows = regression::list(&state.pool, project_id, &filter, before, paged.row_limit()).await?;
    let (regressions, next_after) = paged.cut(rows, |row| row.regression_id);
    Ok(Json(RegressionList { regressions, next_after }))
}

/// One regression with its change points and suspect commits.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions/{regression_id}", tag = "regressions",
    params(RegressionPath), responses(
    (status = 200, description = "The regression", body = RegressionDetail),
))]
pub(crate) async fn get_regression(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
) -> Result<Json<RegressionDetail>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Read, &path.project).await?;
    Ok(Json(detail(&state, project.project_id, path.regression_id).await?))
}

/// Changes the triage of a regression.
#[utoipa::path(
    patch, path = "/api/v1/projects/{project}/regressions/{regression_id}", tag = "regressions",
    params(RegressionPath), request_body = RegressionChange,
    security(("token" = ["project:write"]), ("session" = [])), responses(
    (status = 200, description = "The regression after the change", body = RegressionDetail),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn change_regression(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
    Body(change): Body<RegressionChange>,
) -> Result<Json<RegressionDetail>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    check(&change)?;
    triage(&state.pool, &caller.by(), &project, path.regression_id, change).await?;
    Ok(Json(detail(&state, project.project_id, path.regression_id).await?))
}

fn check(change: &RegressionChange) -> Result<(), ApiError> {
    if let Some(Some(note)) = &change.note {
        check_text("note", note, &(0..=NOTE_MAX))?;
    }
    if let Some(Some(url)) = &change.bug_url
        && !is_web_address(url, URL_MAX)
    {
        let detail =
            format!("expected an address of at most {URL_MAX} bytes that begins with https:// or http://");
        return Err(ApiError::parameter("bug_url", detail));
    }
    Ok(())
}

pub(super) async fn find(
    state: &AppState,
    project_id: i64,
    regression_id: i64,
) -> Result<Regression, ApiError> {
    let found = regression::find(&state.pool, project_id, regression_id).await?;
    found.ok_or_else(|| ApiError::unknown(Kind::Regression, regression_id))
}

async fn detail(state: &AppState, project_id: i64, regression_id: i64) -> Result<RegressionDetail, ApiError> {
    let regression = find(state, project_id, regression_id).await?;
    let changes = db::change_point::of_regressions(&state.pool, &[regression_id]).await?;
    let has_culprit = regression.kind == RegressionKind::Step && regression.cause != ChangeCause::Machine;
    let culprits = if !has_culprit {
        Vec::new()
    } else {
        let direction = regression.direction;
        let made_it = changes.iter().filter(|change| change.direction() == direction);
        let explanation = regression.explanation.as_ref().map(|explanation| &explanation.contents.0);
        let found = of_regression(&state.pool, project_id, regression_id, made_it, explanation).await;
        found.map_err(ApiError::internal)?
    };
    let change_points = changes.into_iter().map(ChangePoint::from).collect();
    Ok(RegressionDetail { regression, change_points, culprits })
}
