//! The inbox: changes that one cause explains, and what people say of them.

use super::charts::changes::ChangePoint;
use super::permitted;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, CommaSeparated, Cursor, Json as Body, Page, Paged, Path};
use axum::{Json, extract::State};
use roundtrip_domain::access::Action;
use roundtrip_domain::analysis;
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::analysis::culprits::Culprit;
use roundtrip_domain::audited::regressions::{RegressionChange, triage};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::change_point::ChangeCause;
use roundtrip_storage::regression::{self, Filter, Regression, State as Progress};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest note, in characters.
const NOTE_MAX: usize = 4_000;
/// The longest address.
const URL_MAX: usize = 2_000;

/// Regressions of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegressionList {
    /// The newest first.
    pub regressions: Vec<Regression>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A regression with all that is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegressionDetail {
    /// The regression.
    pub regression: Regression,
    /// Its changes, and those that took them back.
    pub change_points: Vec<ChangePoint>,
    /// The commits that may have made it, the most probable first; none where a machine did.
    pub culprits: Vec<Culprit>,
}

/// Which regressions are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RegressionQuery {
    /// In these states: new, acknowledged, fixed, invalid or machine, separated by commas; in any unless it is said.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "new,acknowledged")]
    pub state: CommaSeparated<Progress>,
    /// For the worse, or the better.
    #[param(value_type = Option<Direction>, inline)]
    pub direction: Option<Direction>,
    /// Whether those that are muted or held are wanted, too.
    #[param(default = false)]
    pub quiet: Option<bool>,
}

/// A regression in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct RegressionPath {
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
    asked: Paged<RegressionQuery, i64>,
) -> Result<Json<RegressionList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = Filter {
        states: asked.query.state.0.clone(),
        direction: asked.query.direction,
        with_quiet: asked.query.quiet.unwrap_or(false),
    };
    let before = asked.after.unwrap_or(i64::MAX);
    let rows = regression::list(&state.pool, project_id, &filter, before, asked.row_limit()).await?;
    let (regressions, next_after) = asked.cut(rows, |row| row.regression_id);
    Ok(Json(RegressionList { regressions, next_after }))
}

/// One regression with its changes, and the commits that may have made it.
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

/// Changes what people say of a regression.
#[utoipa::path(
    patch, path = "/api/v1/projects/{project}/regressions/{regression_id}", tag = "regressions",
    params(RegressionPath), request_body = RegressionChange,
    security(("token" = ["project:write"]), ("session" = [])), responses(
    (status = 200, description = "The regression as it is now", body = RegressionDetail),
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
    if let Some(Some(note)) = &change.note
        && note.chars().count() > NOTE_MAX
    {
        let detail = format!("{} characters: expected at most {NOTE_MAX}", note.chars().count());
        return Err(ApiError::parameter("note", detail));
    }
    if let Some(Some(url)) = &change.bug_url {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || url.len() > URL_MAX || url.contains(|c: char| c.is_control() || c.is_whitespace()) {
            let detail = format!(
                "expected an address of at most {URL_MAX} bytes that begins with https:// or http://"
            );
            return Err(ApiError::parameter("bug_url", detail));
        }
    }
    Ok(())
}

async fn detail(state: &AppState, project_id: i64, regression_id: i64) -> Result<RegressionDetail, ApiError> {
    let regression = regression::find(&state.pool, project_id, regression_id)
        .await?
        .ok_or_else(|| ApiError::unknown(Kind::Regression, regression_id))?;
    let changes = db::change_point::of_regressions(&state.pool, &[regression_id]).await?;
    let culprits = if regression.cause == ChangeCause::Machine {
        Vec::new()
    } else {
        let direction = regression.direction;
        let made_it = changes.iter().filter(|change| Direction::of(change.found.change()) == direction);
        analysis::culprits::rank(&state.pool, project_id, made_it).await?
    };
    let change_points = changes.into_iter().map(ChangePoint::from).collect();
    Ok(RegressionDetail { regression, change_points, culprits })
}
