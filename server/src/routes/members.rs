//! Members of a project and their roles.

use super::permitted;
use super::projects::ProjectPath;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, NoFilter, Page, Paged, Path};
use axum::extract::State;
use axum::{Json, http::StatusCode};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::projects;
use roundtrip_storage as db;
use roundtrip_storage::access::Role;
use roundtrip_storage::account::Member;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The members of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MemberList {
    /// By name.
    pub members: Vec<Member>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// The role of an account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberRequest {
    /// The role.
    pub role: Role,
}

/// A member in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct MemberPath {
    /// The project's name.
    pub project: Slug,
    /// The account's name.
    pub account: Slug,
}

/// The members of a project, for contributors.
#[utoipa::path(get, path = "/api/v1/projects/{project}/members", tag = "accounts", params(ProjectPath, Page),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 200, description = "The members, by name", body = MemberList))
)]
pub(crate) async fn list_members(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<NoFilter, String>,
) -> Result<Json<MemberList>, ApiError> {
    // Contributors choose assignees.
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    let after = paged.after.as_deref().unwrap_or_default();
    let rows = db::account::members(&state.pool, project.project_id, after, paged.row_limit()).await?;
    let (members, next_after) = paged.cut(rows, |row| row.account.clone());
    Ok(Json(MemberList { members, next_after }))
}

/// Sets the role of an account in a project.
#[utoipa::path(
    put, path = "/api/v1/projects/{project}/members/{account}", tag = "accounts", params(MemberPath),
    request_body = MemberRequest,
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 204, description = "The role is set"),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn put_member(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<MemberPath>,
    Body(request): Body<MemberRequest>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::ManageMembers, &path.project).await?;
    let account = path.account.as_str();
    projects::set_member(&state.pool, &caller.by(), &project, account, request.role).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes an account from a project.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/members/{account}", tag = "accounts", params(MemberPath),
    security(("token" = ["admin"]), ("session" = [])),
    responses((status = 204, description = "The account is removed from the project"))
)]
pub(crate) async fn delete_member(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<MemberPath>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::ManageMembers, &path.project).await?;
    projects::remove_member(&state.pool, &caller.by(), &project, path.account.as_str()).await?;
    Ok(StatusCode::NO_CONTENT)
}
