//! Machines that measured a project, with their environments and canary readings.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, NoFilter, Page, Paged, Path, Query, within};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::analysis;
use roundtrip_domain::error::Kind;
use roundtrip_domain::machine_history::{self, MachineDay, TransportPower};
use roundtrip_storage as db;
use roundtrip_storage::environment::EnvironmentSummary;
use roundtrip_storage::machine::MachineSummary;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The machines of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MachineList {
    /// By name.
    pub machines: Vec<MachineSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// A machine of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct MachinePath {
    /// The project's name.
    #[param(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// The machine's name.
    #[param(value_type = String, example = "lab-1")]
    pub machine: Slug,
}

/// The machines that measured a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/machines", tag = "machines", params(ProjectPath, Page), responses(
    (status = 200, description = "The machines, by name", body = MachineList),
))]
pub(crate) async fn list_machines(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<NoFilter, String>,
) -> Result<Json<MachineList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let after = paged.after.as_deref().unwrap_or_default();
    let rows = db::machine::list(&state.pool, project_id, after, paged.row_limit()).await?;
    let (mut machines, next_after) = paged.cut(rows, |row| row.machine.clone());
    let machine_ids: Vec<i64> = machines.iter().map(|row| row.machine_id).collect();
    let mut connection = state.pool.acquire().await?;
    let mut suspect = analysis::suspect::why(&mut connection, project_id, &machine_ids).await?;
    let mut known_state_changes =
        analysis::suspect::known_state_changes(&mut connection, project_id, &machine_ids).await?;
    for machine in &mut machines {
        machine.suspect_because = suspect.remove(&machine.machine_id);
        machine.known_state_changes = known_state_changes.remove(&machine.machine_id).unwrap_or(0);
    }
    Ok(Json(MachineList { machines, next_after }))
}

const ENVIRONMENTS_MAX: i64 = 100;

/// The environments in which a machine measured a project: the last 100.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnvironmentList {
    /// The environments, last used first.
    pub environments: Vec<EnvironmentSummary>,
}

/// The environments in which a machine measured a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/machines/{machine}/environments", tag = "machines", params(MachinePath),
    responses((status = 200, description = "The environments, last used first", body = EnvironmentList)),
)]
pub(crate) async fn list_environments(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<MachinePath>,
) -> Result<Json<EnvironmentList>, ApiError> {
    let MachinePath { project, machine } = path;
    let project_id = project_id(&state, &caller, &ProjectPath { project }).await?;
    let environments =
        db::environment::of_machine(&state.pool, project_id, machine.as_str(), ENVIRONMENTS_MAX).await?;
    if environments.is_empty() {
        return Err(ApiError::unknown(Kind::Machine, machine.as_str()));
    }
    Ok(Json(EnvironmentList { environments }))
}

const RUNS_MAX: i64 = 1_000;
const RUNS_DEFAULT: i64 = 200;

/// A machine's canary readings from its newest runs of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CanaryHistory {
    /// The machine's name.
    pub machine: String,
    /// The readings by run, oldest first.
    pub readings: Vec<CanaryReading>,
}

/// The canary readings of one run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CanaryReading {
    /// The run.
    pub run_id: Uuid,
    /// The start of the run, by the agent's clock.
    pub started_at: DateTime<Utc>,
    /// The ordinal of its commit.
    pub commit_ordinal: i64,
    /// The identity of the machine's stable facts: readings with different ones are not compared.
    pub environment_id: i64,
    /// The median of each canary by name, in nanoseconds per operation. Canaries without readings are absent; the run
    /// has the reason.
    pub p50_ns: BTreeMap<String, u64>,
}

/// Selects runs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CanaryQuery {
    /// The number of newest runs.
    #[param(minimum = 1, maximum = 1000, default = 200)]
    pub last: Option<i64>,
}

/// A machine's canary readings from its newest runs of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/machines/{machine}/canaries", tag = "machines",
    params(MachinePath, CanaryQuery), responses(
    (status = 200, description = "The readings, by run, the oldest first", body = CanaryHistory),
))]
pub(crate) async fn list_canaries(
    State(state): State<AppState>,
    caller: Caller,
    Path(MachinePath { project, machine }): Path<MachinePath>,
    Query(query): Query<CanaryQuery>,
) -> Result<Json<CanaryHistory>, ApiError> {
    let project_id = project_id(&state, &caller, &ProjectPath { project }).await?;
    let last = within("last", query.last.unwrap_or(RUNS_DEFAULT), 1..=RUNS_MAX)?;
    let machine_id = db::canary::machine_of_project(&state.pool, project_id, machine.as_str()).await?;
    let machine_id = machine_id.ok_or_else(|| ApiError::unknown(Kind::Machine, &machine))?;
    let newest = db::canary::newest(&state.pool, (project_id, machine_id), last).await?;
    let readings = newest.into_iter().rev().map(CanaryReading::from).collect();
    Ok(Json(CanaryHistory { machine: machine.to_string(), readings }))
}

/// The state of a machine by day.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MachineHistory {
    /// The machine's name.
    pub machine: String,
    /// Days with runs of the project in the last year, oldest first.
    pub days: Vec<MachineDay>,
    /// The minimum detectable change by transport, in the newest run.
    pub transports: Vec<TransportPower>,
}

/// The state of a machine by day, and how small a change it can detect.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/machines/{machine}/history", tag = "machines", params(MachinePath), responses(
    (status = 200, description = "The days with runs, oldest first", body = MachineHistory),
))]
pub(crate) async fn get_machine_history(
    State(state): State<AppState>,
    caller: Caller,
    Path(MachinePath { project, machine }): Path<MachinePath>,
) -> Result<Json<MachineHistory>, ApiError> {
    let project_id = project_id(&state, &caller, &ProjectPath { project }).await?;
    let machine_id = db::canary::machine_of_project(&state.pool, project_id, machine.as_str()).await?;
    let machine_id = machine_id.ok_or_else(|| ApiError::unknown(Kind::Machine, &machine))?;
    let (days, transports) = machine_history::of_machine(&state.pool, project_id, machine_id).await?;
    Ok(Json(MachineHistory { machine: machine.to_string(), days, transports }))
}

impl From<db::canary::RunReadings> for CanaryReading {
    fn from(row: db::canary::RunReadings) -> Self {
        let canaries = row.canaries.0.into_iter();
        Self {
            run_id: row.run_id,
            started_at: row.started_at,
            commit_ordinal: row.commit_ordinal,
            environment_id: row.environment_id,
            p50_ns: canaries.filter_map(|canary| Some((canary.slug.to_string(), canary.p50_ns?))).collect(),
        }
    }
}
