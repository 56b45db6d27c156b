//! Projects: the repositories whose commits are charted.

use super::permitted;
use super::runs::RunSummary;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Page, Paged, Path};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::access::Action;
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::access::Visibility;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// Projects.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectList {
    /// By name.
    pub projects: Vec<ProjectSummary>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// One project and how much there is of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectSummary {
    /// Its name in links.
    #[schema(example = "roundtrip")]
    pub project: String,
    /// Who may read it.
    pub visibility: Visibility,
    /// The branch whose runs make the trend; null: all runs without a pull request do.
    #[schema(required)]
    pub default_branch: Option<String>,
    /// Where agents fetch its commits from; null: nobody has said it.
    #[schema(required)]
    pub repository_url: Option<String>,
    /// Whether the check of a pull request fails when it makes something slower and nobody has accepted it.
    pub fails_on_regression: bool,
    /// Uploads.
    pub run_count: i64,
    /// Commits that were measured at least once.
    pub commit_count: i64,
    /// Machines that measured it.
    pub machine_count: i64,
    /// Series: cases, measured one way, on one machine.
    pub series_count: i64,
    /// When the newest run began.
    #[schema(required)]
    pub last_run_at: Option<DateTime<Utc>>,
    /// The newest run.
    #[schema(required)]
    pub latest_run: Option<RunSummary>,
}

/// A project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ProjectPath {
    /// The project's name.
    pub project: Slug,
}

/// All projects that you may see.
#[utoipa::path(get, path = "/api/v1/projects", tag = "projects", params(Page), responses(
    (status = 200, description = "The projects, by name", body = ProjectList),
))]
pub(crate) async fn list_projects(
    State(state): State<AppState>,
    caller: Caller,
    asked: Paged<Everything, String>,
) -> Result<Json<ProjectList>, ApiError> {
    let after = asked.after.as_deref().unwrap_or_default();
    let rows = db::project::list(&state.pool, caller.sight(), None, after, asked.row_limit()).await?;
    let (rows, next_after) = asked.cut(rows, |row| row.slug.clone());
    Ok(Json(ProjectList { projects: summaries(&state, rows).await?, next_after }))
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
    let rows = db::project::list(&state.pool, caller.sight(), slug, "", 1).await?;
    let found = summaries(&state, rows).await?;
    let project = found.into_iter().next().ok_or_else(|| ApiError::unknown(Kind::Project, &path.project))?;
    Ok(Json(project))
}

/// The key of the project in a path, if the caller may see it.
pub(super) async fn project_id(
    state: &AppState,
    caller: &Caller,
    path: &ProjectPath,
) -> Result<i64, ApiError> {
    Ok(permitted::project(state, caller, Action::Read, &path.project).await?.project_id)
}

async fn summaries(state: &AppState, rows: Vec<db::project::Row>) -> Result<Vec<ProjectSummary>, ApiError> {
    let latest: Vec<_> = rows.iter().filter_map(|row| row.latest_run_id).collect();
    let runs = db::run::find(&state.pool, &latest).await?;
    let mut runs: HashMap<_, _> = runs.into_iter().map(|run| (run.run_id, RunSummary::from(run))).collect();
    let summary = |row: db::project::Row| {
        let latest_run = row.latest_run_id.and_then(|run_id| runs.remove(&run_id));
        Ok(ProjectSummary {
            visibility: row.visibility()?,
            project: row.slug,
            default_branch: row.default_branch,
            repository_url: row.repository_url,
            fails_on_regression: row.fails_on_regression,
            run_count: row.run_count,
            commit_count: row.commit_count,
            machine_count: row.machine_count,
            series_count: row.series_count,
            last_run_at: latest_run.as_ref().map(|run| run.started_at),
            latest_run,
        })
    };
    rows.into_iter().map(summary).collect()
}
