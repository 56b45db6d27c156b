//! Agents, for people: codes that let them in, how they are, whether they are given work.

use super::lab::AgentPath;
use super::projects::{ProjectPath, project_id};
use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Json as Body, Page, Paged, Path};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use chrono::{DateTime, Utc};
use roundtrip_domain::audited::agents::{self, AgentChange};
use roundtrip_domain::audited::labels;
use roundtrip_storage as db;
use roundtrip_storage::agent::AgentSummary;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A code to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnrolmentRequest {
    /// The only project that the agent works for. Only administrators make codes without.
    pub project: Option<Slug>,
    /// The only machine that it is good for: the agent which that has is replaced. Without: any that has none.
    pub machine: Option<Slug>,
    /// What the agent is labelled with, for jobs that ask for it.
    #[serde(default)]
    #[schema(max_items = 20, example = json!(["lab", "big-endian"]))]
    pub labels: Vec<Slug>,
}

/// A code that lets one agent in.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnrolmentCode {
    /// What to give to `roundtrip enrol`. It cannot be shown again.
    pub code: String,
    /// When it ceases to be valid.
    pub expires_at: DateTime<Utc>,
}

/// Agents that may work for a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentList {
    /// By the names of their machines.
    pub agents: Vec<AgentSummary>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// Makes a code that lets one agent in, within ten minutes.
#[utoipa::path(post, path = "/api/v1/enrolments", tag = "lab", request_body = EnrolmentRequest,
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The code, shown once", body = EnrolmentCode),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn create_enrolment(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<EnrolmentRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let labels = labels(&request.labels)?;
    let project = request.project.as_ref().map(Slug::as_str);
    let machine = request.machine.as_ref().map(Slug::as_str);
    let agent = (project, machine);
    let code = agents::create_enrolment(&state.pool, &caller, &caller.by(), agent, &labels).await?;
    let agents::Valid { secret: code, expires_at } = code;
    let answer = EnrolmentCode { code: code.expose().to_owned(), expires_at };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, no_store())], Json(answer)))
}

/// The agents that may work for a project.
#[utoipa::path(get, path = "/api/v1/projects/{project}/agents", tag = "lab", params(ProjectPath, Page), responses(
    (status = 200, description = "The agents, by the names of their machines", body = AgentList),
))]
pub(crate) async fn list_agents(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    asked: Paged<Everything, String>,
) -> Result<Json<AgentList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let after = asked.after.as_deref().unwrap_or_default();
    let rows = db::agent::of_project(&state.pool, project_id, after, asked.row_limit()).await?;
    let (agents, next_after) = asked.cut(rows, |row| row.machine.clone());
    Ok(Json(AgentList { agents, next_after }))
}

/// Changes whether an agent is given work, and what it is labelled with.
#[utoipa::path(patch, path = "/api/v1/agents/{agent_id}", tag = "lab", params(AgentPath), request_body = AgentChange,
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 200, description = "How it is now", body = AgentSummary))
)]
pub(crate) async fn change_agent(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AgentPath>,
    Body(change): Body<AgentChange>,
) -> Result<Json<AgentSummary>, ApiError> {
    let after = agents::change_agent(&state.pool, &caller, &caller.by(), path.agent_id, &change).await?;
    state.queue.wake();
    Ok(Json(after))
}

/// Turns an agent away: its token is revoked, and its machine needs another code. What it measured stays.
#[utoipa::path(delete, path = "/api/v1/agents/{agent_id}", tag = "lab", params(AgentPath),
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 204, description = "It is turned away"))
)]
pub(crate) async fn revoke_agent(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AgentPath>,
) -> Result<StatusCode, ApiError> {
    agents::revoke_agent(&state.pool, &caller, &caller.by(), path.agent_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
