//! Projects: creation, settings, visibility and deletion.

use super::permitted;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, NoFilter, Page, Paged, Path};
use axum::{Json, extract::State, http::StatusCode};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::projects::{self, ProjectChange, ProjectRequest};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::access::Visibility;
use roundtrip_storage::project::ProjectSummary;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// Projects.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectList {
    /// By name.
    pub projects: Vec<ProjectSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// A project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ProjectPath {
    /// The project's name.
    pub project: Slug,
}

/// All projects that you can read.
#[utoipa::path(get, path = "/api/v1/projects", tag = "projects", params(Page), responses(
    (status = 200, description = "The projects, by name", body = ProjectList),
))]
pub(crate) async fn list_projects(
    State(state): State<AppState>,
    caller: Caller,
    paged: Paged<NoFilter, String>,
) -> Result<Json<ProjectList>, ApiError> {
    let after = paged.after.as_deref().unwrap_or_default();
    let rows =
        db::project::list(&state.pool, caller.visible_projects(), None, after, paged.row_limit()).await?;
    let (projects, next_after) = paged.cut(rows, |row| row.project.clone());
    Ok(Json(ProjectList { projects: with_latest_runs(&state, projects).await?, next_after }))
}

/// One project.
#[utoipa::path(get, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath), responses(
    (status = 200, description = "The project", body = ProjectSummary),
))]
pub(crate) async fn get_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Json<ProjectSummary>, ApiError> {
    let slug = Some(path.project.as_str());
    let rows = db::project::list(&state.pool, caller.visible_projects(), slug, "", 1).await?;
    let found = with_latest_runs(&state, rows).await?;
    let project = found.into_iter().next().ok_or_else(|| ApiError::unknown(Kind::Project, &path.project))?;
    Ok(Json(project))
}

/// The key of the project in a path, if the caller can read it.
pub(super) async fn project_id(
    state: &AppState,
    caller: &Caller,
    path: &ProjectPath,
) -> Result<i64, ApiError> {
    Ok(permitted::project(state, caller, Action::Read, &path.project).await?.project_id)
}

async fn with_latest_runs(
    state: &AppState,
    mut projects: Vec<ProjectSummary>,
) -> Result<Vec<ProjectSummary>, ApiError> {
    let latest: Vec<_> = projects.iter().filter_map(|project| project.latest_run_id).collect();
    let runs = db::run::find(&state.pool, &latest).await?;
    let mut runs: HashMap<_, _> = runs.into_iter().map(|run| (run.run_id, run)).collect();
    for project in &mut projects {
        project.latest_run =
            project.latest_run_id.and_then(|run_id| runs.remove(&run_id)).map(sqlx::types::Json);
        project.last_run_at = project.latest_run.as_ref().map(|run| run.started_at);
    }
    Ok(projects)
}

/// The settings of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectSettings {
    /// The project's name.
    #[schema(example = "roundtrip")]
    pub project: String,
    /// The visibility.
    pub visibility: Visibility,
    /// The branch whose runs form the trend; null for all runs without a pull request.
    #[schema(required)]
    pub default_branch: Option<String>,
    /// The repository from which agents fetch commits; null for none, so that agents cannot run jobs for it.
    #[schema(required)]
    pub repository_url: Option<String>,
    /// The address of a commit at its host, with `{sha}` in place of the SHA; null to derive it from `repository_url`.
    #[schema(required)]
    pub commit_url: Option<String>,
    /// Whether the check of a pull request fails on an unacknowledged slowdown.
    pub fails_on_regression: bool,
    /// The smallest change that is reported, as a share; null for two standard deviations of each series' noise, at least
    /// 1 % and at most 3 %.
    #[schema(required)]
    pub least_change: Option<f64>,
}

/// Creates a project before its first run, so that jobs can be queued.
#[utoipa::path(post, path = "/api/v1/projects", tag = "projects", request_body = ProjectRequest,
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 201, description = "The settings", body = ProjectSettings),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
    (status = 409, description = "`taken`: the project already exists"),
))]
pub(crate) async fn create_project(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<ProjectRequest>,
) -> Result<(StatusCode, Json<ProjectSettings>), ApiError> {
    caller.check_server_admin()?;
    let visibility = request.visibility.unwrap_or_else(|| state.auth.visibility_of_new());
    projects::create_project(&state.pool, &caller.by(), &request, visibility).await?;
    let made = ProjectSettings {
        project: request.project.to_string(),
        visibility,
        default_branch: request.default_branch,
        repository_url: request.repository_url,
        commit_url: None,
        fails_on_regression: false,
        least_change: None,
    };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Changes a project's settings. A new default branch recomputes which points are on the main line.
#[utoipa::path(patch, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath),
    request_body = ProjectChange,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 200, description = "The settings after the change", body = ProjectSettings),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn change_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(change): Body<ProjectChange>,
) -> Result<Json<ProjectSettings>, ApiError> {
    let found = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let after = projects::change_project(&state.pool, &caller.by(), &found, change).await?;
    Ok(Json(ProjectSettings {
        project: found.project,
        visibility: after.visibility,
        default_branch: after.default_branch,
        repository_url: after.repository_url,
        commit_url: after.commit_url,
        fails_on_regression: after.fails_on_regression,
        least_change: after.least_change,
    }))
}

/// Deletes a project with all results, and revokes its tokens. This cannot be undone.
#[utoipa::path(delete, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath),
    security(("token" = ["admin"]), ("session" = [])),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<StatusCode, ApiError> {
    let found = permitted::project(&state, &caller, Action::Delete, &path.project).await?;
    projects::delete_project(&state.pool, &caller.by(), &found).await?;
    Ok(StatusCode::NO_CONTENT)
}
