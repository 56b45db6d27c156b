//! Agents, for users: enrolment codes, status and settings.

use super::lab::AgentPath;
use super::projects::{ProjectPath, project_id};
use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, NoFilter, Page, Paged, Path};
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

/// A new enrolment code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnrolmentRequest {
    /// The project that the agent is restricted to. Only administrators can omit it.
    pub project: Option<Slug>,
    /// The only machine that the code is valid for; its agent is replaced. The default is any machine without an
    /// agent.
    pub machine: Option<Slug>,
    /// The agent's labels.
    #[serde(default)]
    #[schema(max_items = 20, example = json!(["lab", "big-endian"]))]
    pub labels: Vec<Slug>,
}

/// A code that enrols one agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnrolmentCode {
    /// The code for `roundtrip enrol`. It is shown only once.
    pub code: String,
    /// The expiry time.
    pub expires_at: DateTime<Utc>,
}

/// Agents that may work for a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentList {
    /// The agents, by the names of their machines.
    pub agents: Vec<AgentSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// Creates a code that enrols one agent within ten minutes.
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
    let code = agents::create_enrolment(&state.pool, Some(&caller), &caller.by(), agent, &labels).await?;
    let agents::Valid { secret: code, expires_at } = code;
    let answer = EnrolmentCode { code: code.expose().to_owned(), expires_at };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, no_store())], Json(answer)))
}

/// The agents of a project.
#[utoipa::path(get, path = "/api/v1/projects/{project}/agents", tag = "lab", params(ProjectPath, Page), responses(
    (status = 200, description = "The agents, by machine name", body = AgentList),
))]
pub(crate) async fn list_agents(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<NoFilter, String>,
) -> Result<Json<AgentList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let after = paged.after.as_deref().unwrap_or_default();
    let rows = db::agent::of_project(&state.pool, project_id, after, paged.row_limit()).await?;
    let (agents, next_after) = paged.cut(rows, |row| row.machine.clone());
    Ok(Json(AgentList { agents, next_after }))
}

/// Enables or disables an agent, and sets its labels.
#[utoipa::path(patch, path = "/api/v1/agents/{agent_id}", tag = "lab", params(AgentPath), request_body = AgentChange,
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 200, description = "The agent after the change", body = AgentSummary))
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

/// Removes an agent and revokes its token. Its results stay.
#[utoipa::path(delete, path = "/api/v1/agents/{agent_id}", tag = "lab", params(AgentPath),
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 204, description = "The agent is removed"))
)]
pub(crate) async fn revoke_agent(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AgentPath>,
) -> Result<StatusCode, ApiError> {
    agents::revoke_agent(&state.pool, &caller, &caller.by(), path.agent_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
