//! What a project is set to: who may read it, and which branch makes its trend. And its end.

use super::permitted;
use super::projects::ProjectPath;
use crate::access::{Action, Visibility};
use crate::db::audit::{self, Event};
use crate::db::settings::Settings;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path, present};
use crate::{AppState, db};
use axum::extract::State;
use axum::{Json, http::StatusCode};
use roundtrip_wire::Problem;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

/// The longest name of a branch, in bytes: git's own limit is that of a file's name.
const BRANCH_BYTES_MAX: usize = 255;

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
    let mut transaction = state.pool.begin().await?;
    let before = db::settings::lock(&mut transaction, found.project_id).await?;
    let after = Settings {
        visibility: change.visibility.unwrap_or(before.visibility),
        default_branch: change.default_branch.unwrap_or_else(|| before.default_branch.clone()),
    };
    if after != before {
        db::settings::change(&mut transaction, found.project_id, &after).await?;
        let points = if after.default_branch == before.default_branch {
            0
        } else {
            db::settings::recompute_mainline(&mut transaction, found.project_id).await?
        };
        let details = json!({
            "visibility": {"from": before.visibility, "to": after.visibility},
            "default_branch": {"from": before.default_branch, "to": after.default_branch},
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

fn check_branch(branch: &str) -> Result<(), ApiError> {
    if (1..=BRANCH_BYTES_MAX).contains(&branch.len()) && !branch.contains(char::is_control) {
        return Ok(());
    }
    let detail = format!("expected 1 to {BRANCH_BYTES_MAX} bytes without control characters, or null");
    Err(ApiError::parameter("default_branch", detail))
}
