//! Projects: the repositories whose commits are charted.

use super::runs::RunSummary;
use crate::{
    AppState, db,
    error::{ApiError, Kind},
    extract::Path,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_wire::{Problem, Slug};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// All projects.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectList {
    /// By name.
    pub projects: Vec<ProjectSummary>,
}

/// One project and how much there is of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectSummary {
    /// Its name in links.
    #[schema(example = "roundtrip")]
    pub project: String,
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

/// All projects.
#[utoipa::path(get, path = "/api/v1/projects", tag = "projects", responses(
    (status = 200, description = "All projects, by name", body = ProjectList),
    (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list_projects(State(state): State<AppState>) -> Result<Json<ProjectList>, ApiError> {
    Ok(Json(ProjectList { projects: summaries(&state, None).await? }))
}

/// One project.
#[utoipa::path(get, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath), responses(
    (status = 200, description = "The project", body = ProjectSummary),
    (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_project(
    State(state): State<AppState>,
    Path(path): Path<ProjectPath>,
) -> Result<Json<ProjectSummary>, ApiError> {
    let found = summaries(&state, Some(path.project.as_str())).await?;
    let project = found.into_iter().next().ok_or_else(|| ApiError::unknown(Kind::Project, &path.project))?;
    Ok(Json(project))
}

/// The key of the project in a path.
pub(super) async fn project_id(state: &AppState, path: &ProjectPath) -> Result<i64, ApiError> {
    db::project::find(&state.pool, path.project.as_str())
        .await?
        .ok_or_else(|| ApiError::unknown(Kind::Project, &path.project))
}

async fn summaries(state: &AppState, project: Option<&str>) -> Result<Vec<ProjectSummary>, ApiError> {
    let rows = db::project::list(&state.pool, project).await?;
    let latest: Vec<_> = rows.iter().filter_map(|row| row.latest_run_id).collect();
    let runs = db::run::find(&state.pool, &latest).await?;
    let mut runs: HashMap<_, _> = runs.into_iter().map(|run| (run.run_id, RunSummary::from(run))).collect();
    let summary = |row: db::project::Row| {
        let latest_run = row.latest_run_id.and_then(|run_id| runs.remove(&run_id));
        ProjectSummary {
            project: row.slug,
            run_count: row.run_count,
            commit_count: row.commit_count,
            machine_count: row.machine_count,
            series_count: row.series_count,
            last_run_at: latest_run.as_ref().map(|run| run.started_at),
            latest_run,
        }
    };
    Ok(rows.into_iter().map(summary).collect())
}
