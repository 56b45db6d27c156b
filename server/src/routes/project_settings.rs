//! What a project is set to: who may read it, and which branch makes its trend. And its end.

use super::permitted;
use super::projects::ProjectPath;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path, present};
use axum::extract::State;
use axum::{Json, http::StatusCode};
use roundtrip_domain::access::Action;
use roundtrip_domain::error::DomainError;
use roundtrip_storage as db;
use roundtrip_storage::access::Visibility;
use roundtrip_storage::audit::{self, Event};
use roundtrip_storage::settings::Settings;
use roundtrip_wire::{Problem, Slug};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

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
    /// Whether the check of a pull request fails when it makes something slower and nobody has accepted it.
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
    /// Whether the check of a pull request fails when it makes something slower and nobody has accepted it.
    pub fails_on_regression: Option<bool>,
}

/// Makes a project before its first run, so that agents can be asked to measure it.
#[utoipa::path(post, path = "/api/v1/projects", tag = "projects", request_body = ProjectRequest,
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 201, description = "What it is set to", body = ProjectSettings),
    (status = 400, description = "`invalid-parameter` or `invalid-json`", body = Problem,
        content_type = "application/problem+json"),
    (status = 409, description = "`taken`: there is one of that name", body = Problem,
        content_type = "application/problem+json"),
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
    let mut transaction = state.pool.begin().await?;
    let made = db::project::create(&mut transaction, asked.project.as_str(), visibility, branch, url).await?;
    made.ok_or_else(|| DomainError::Taken(format!("there is a project {}", asked.project)))?;
    let details = json!({"visibility": visibility, "default_branch": branch, "repository_url": url});
    let subject = format!("project:{}", asked.project);
    audit::record(
        &mut transaction,
        &caller.by(),
        Event { action: audit::Action::ProjectCreate, subject, details },
    )
    .await?;
    transaction.commit().await?;
    let made = ProjectSettings {
        project: asked.project.to_string(),
        visibility,
        default_branch: asked.default_branch,
        repository_url: asked.repository_url,
        fails_on_regression: false,
    };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Changes what a project is set to. Another default branch says of all its points anew whether they are on the main line.
#[utoipa::path(patch, path = "/api/v1/projects/{project}", tag = "projects", params(ProjectPath),
    request_body = ProjectChange,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 200, description = "What it is set to now", body = ProjectSettings),
    (status = 400, description = "`invalid-parameter` or `invalid-json`", body = Problem,
        content_type = "application/problem+json"),
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
    let mut transaction = state.pool.begin().await?;
    let before = db::settings::lock(&mut transaction, found.project_id).await?;
    let after = Settings {
        visibility: change.visibility.unwrap_or(before.visibility),
        default_branch: change.default_branch.unwrap_or_else(|| before.default_branch.clone()),
        repository_url: change.repository_url.unwrap_or_else(|| before.repository_url.clone()),
        fails_on_regression: change.fails_on_regression.unwrap_or(before.fails_on_regression),
    };
    if after != before {
        db::settings::change(&mut transaction, found.project_id, &after).await?;
        let points = if after.default_branch == before.default_branch {
            0
        } else {
            db::settings::recompute_mainline(&mut transaction, found.project_id).await?
        };
        if after.fails_on_regression != before.fails_on_regression {
            db::github::pull_request::touch_open(&mut transaction, found.project_id).await?;
        }
        let details = json!({
            "visibility": {"from": before.visibility, "to": after.visibility},
            "default_branch": {"from": before.default_branch, "to": after.default_branch},
            "repository_url": {"from": before.repository_url, "to": after.repository_url},
            "fails_on_regression": {"from": before.fails_on_regression, "to": after.fails_on_regression},
            "points_changed": points,
        });
        let subject = format!("project:{}", found.project);
        let event = Event { action: audit::Action::ProjectChange, subject, details };
        audit::record(&mut transaction, &caller.by(), event).await?;
        transaction.commit().await?;
    }
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
    let mut transaction = state.pool.begin().await?;
    db::settings::lock(&mut transaction, found.project_id).await?;
    let deleted = db::settings::delete(&mut transaction, found.project_id).await?;
    let details = json!({
        "runs": deleted.runs, "points": deleted.points, "tokens_revoked": deleted.tokens,
    });
    let subject = format!("project:{}", found.project);
    let event = Event { action: audit::Action::ProjectDelete, subject, details };
    audit::record(&mut transaction, &caller.by(), event).await?;
    transaction.commit().await?;
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
