//! Projects: the repositories whose commits are charted; what they are set to, who may read them, and their end.

use super::permitted;
use super::runs::RunSummary;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Json as Body, Page, Paged, Path, present};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::projects::{self, NewProject, SettingsChange};
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
    /// Whether the check of a pull request fails when it makes something slower and this was not accepted.
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
            visibility: row.visibility,
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

/// The longest name of a branch, in bytes: git's own limit is that of a file's name.
const BRANCH_BYTES_MAX: usize = 255;
/// The longest address of a repository, in bytes.
const URL_BYTES_MAX: usize = 1_000;

/// What a project is set to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectSettings {
    /// Its name.
    #[schema(example = "roundtrip")]
    pub project: String,
    /// Who may read it.
    pub visibility: Visibility,
    /// The branch whose runs make the trend; null: all runs without a pull request do.
    #[schema(required)]
    pub default_branch: Option<String>,
    /// Where agents fetch its commits from; null: nowhere, and agents measure nothing of it on request.
    #[schema(required)]
    pub repository_url: Option<String>,
    /// Whether the check of a pull request fails when it makes something slower and this was not accepted.
    pub fails_on_regression: bool,
}

/// A project to make, before its first run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectRequest {
    /// Its name.
    #[schema(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// Who may read it. Absent: as the server's new projects are.
    pub visibility: Option<Visibility>,
    /// The branch whose runs make the trend. Absent: what the first run says.
    #[schema(max_length = 255, example = "main")]
    pub default_branch: Option<String>,
    /// Where agents fetch its commits from.
    #[schema(max_length = 1000, example = "https://git.example.org/libfoo.git")]
    pub repository_url: Option<String>,
}

/// What is to change; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectChange {
    /// Who may read it.
    pub visibility: Option<Visibility>,
    /// The branch whose runs make the trend; null: all runs without a pull request do.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 255, example = "main")]
    pub default_branch: Option<Option<String>>,
    /// Where agents fetch its commits from; null: nowhere.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1000, example = "https://git.example.org/libfoo.git")]
    pub repository_url: Option<Option<String>>,
    /// Whether the check of a pull request fails when it makes something slower and this was not accepted.
    pub fails_on_regression: Option<bool>,
}

/// Makes a project before its first run, so that agents can be asked to measure it.
#[utoipa::path(post, path = "/api/v1/projects", tag = "projects", request_body = ProjectRequest,
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 201, description = "What it is set to", body = ProjectSettings),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
    (status = 409, description = "`taken`: there is one of that name"),
))]
pub(crate) async fn create_project(
    State(state): State<AppState>,
    caller: Caller,
    Body(asked): Body<ProjectRequest>,
) -> Result<(StatusCode, Json<ProjectSettings>), ApiError> {
    caller.check_server_admin()?;
    if let Some(branch) = &asked.default_branch {
        check_branch(branch)?;
    }
    if let Some(url) = &asked.repository_url {
        check_url(url)?;
    }
    let visibility = asked.visibility.unwrap_or_else(|| state.auth.visibility_of_new());
    let (branch, url) = (asked.default_branch.as_deref(), asked.repository_url.as_deref());
    let name = asked.project.as_str();
    let new = NewProject { name, visibility, default_branch: branch, repository_url: url };
    projects::create_project(&state.pool, &caller.by(), new).await?;
    let made = ProjectSettings {
        project: asked.project.to_string(),
        visibility,
        default_branch: asked.default_branch,
        repository_url: asked.repository_url,
        fails_on_regression: false,
    };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Changes what a project is set to. Another default branch decides again which of its points are on the main line.
#[utoipa::path(patch, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath),
    request_body = ProjectChange,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 200, description = "What it is set to now", body = ProjectSettings),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn change_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(change): Body<ProjectChange>,
) -> Result<Json<ProjectSettings>, ApiError> {
    let found = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    if let Some(Some(branch)) = &change.default_branch {
        check_branch(branch)?;
    }
    if let Some(Some(url)) = &change.repository_url {
        check_url(url)?;
    }
    let ProjectChange { visibility, default_branch, repository_url, fails_on_regression } = change;
    let change = SettingsChange { visibility, default_branch, repository_url, fails_on_regression };
    let after = projects::change_project(&state.pool, &caller.by(), &found, change).await?;
    Ok(Json(ProjectSettings {
        project: found.project,
        visibility: after.visibility,
        default_branch: after.default_branch,
        repository_url: after.repository_url,
        fails_on_regression: after.fails_on_regression,
    }))
}

/// Deletes a project with all that was measured of it, and revokes the tokens that are bound to it. There is no way back.
#[utoipa::path(delete, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath),
    security(("token" = ["admin"]), ("session" = [])),
    responses((status = 204, description = "It is gone"))
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

/// An address that git fetches from without running a program that it names, and without a secret in it.
fn check_url(url: &str) -> Result<(), ApiError> {
    let rest = ["https://", "http://", "ssh://", "git://", "file://"]
        .into_iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let is_plain = url.len() <= URL_BYTES_MAX && !url.contains(|c: char| c.is_control() || c.is_whitespace());
    let authority = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let has_secret = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    if rest.is_some_and(|rest| !rest.is_empty()) && is_plain && !has_secret {
        return Ok(());
    }
    let detail =
        "expected https://, ssh://, git:// or file:// and a path, without a password: agents have their own";
    Err(ApiError::parameter("repository_url", detail))
}

fn check_branch(branch: &str) -> Result<(), ApiError> {
    if (1..=BRANCH_BYTES_MAX).contains(&branch.len()) && !branch.contains(char::is_control) {
        return Ok(());
    }
    let detail = format!("expected 1 to {BRANCH_BYTES_MAX} bytes without control characters, or null");
    Err(ApiError::parameter("default_branch", detail))
}
