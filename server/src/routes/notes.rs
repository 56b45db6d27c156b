//! Notes of users on commits.

use super::commits::{CommitPath, find};
use super::permitted;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, Page, Paged, Path};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::notes;
use roundtrip_storage::note::{self, Filter, Note};
use roundtrip_wire::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Notes on commits of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NoteList {
    /// The newest first.
    pub notes: Vec<Note>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A new note.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteRequest {
    /// Plain text.
    #[schema(
        min_length = 1,
        max_length = 2000,
        example = "New allocator: all transports are expected to change."
    )]
    pub text: String,
}

/// Filters for notes.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NoteQuery {
    /// On commits from this ordinal.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// On commits up to this ordinal.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// Only notes on this commit: the full object name.
    #[param(value_type = Option<String>)]
    pub commit: Option<CommitSha>,
}

/// A note of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct NotePath {
    /// The project's name.
    #[param(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// The note's number.
    pub note_id: i64,
}

/// The notes on commits of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/notes", tag = "commits", params(ProjectPath, NoteQuery, Page), responses(
    (status = 200, description = "The notes, the newest first", body = NoteList),
))]
pub(crate) async fn list_notes(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<NoteQuery, i64>,
) -> Result<Json<NoteList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let NoteQuery { from, to, commit } = &paged.query;
    let filter = Filter { from: *from, to: *to, commit_sha: commit.as_ref().map(ToString::to_string) };
    let before = paged.after.unwrap_or(i64::MAX);
    let rows = note::list(&state.pool, project_id, &filter, before, paged.row_limit()).await?;
    let (notes, next_after) = paged.cut(rows, |row| row.note_id);
    Ok(Json(NoteList { notes, next_after }))
}

/// Adds a note to a commit.
#[utoipa::path(
    post, path = "/api/v1/projects/{project}/commits/{sha}/notes", tag = "commits", params(CommitPath),
    request_body = NoteRequest, security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The note", body = Note),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn create_note(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<CommitPath>,
    Body(request): Body<NoteRequest>,
) -> Result<(StatusCode, Json<Note>), ApiError> {
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    let found = find(&state, project.project_id, "sha", &path.sha).await?;
    let on = (found.commit_id, found.commit);
    let note = notes::create_note(&state.pool, &caller.by(), &project, on, &request.text).await?;
    Ok((StatusCode::CREATED, Json(note)))
}

/// Deletes a note: your own, or any as a maintainer.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/notes/{note_id}", tag = "commits", params(NotePath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete_note(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<NotePath>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    let of_others = caller.check(Action::Configure, &project.project, project.visibility);
    notes::delete_note(&state.pool, &caller.by(), &project, path.note_id, of_others).await?;
    Ok(StatusCode::NO_CONTENT)
}
