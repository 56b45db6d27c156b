//! Machines: where a project was measured, and the fingerprint each had last.

use super::projects::{ProjectPath, project_id};
use crate::{AppState, db, error::ApiError, extract::Path};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_wire::{Environment, Problem};
use serde::Serialize;
use utoipa::ToSchema;

/// The machines of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct MachineList {
    /// By name.
    pub machines: Vec<MachineSummary>,
}

/// One machine as one project sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MachineSummary {
    /// Its name in charts and links.
    #[schema(example = "lab-1")]
    pub machine: String,
    /// Operating system family: `linux`, `macos`, `windows`, `freebsd`.
    #[schema(example = "linux")]
    pub os: String,
    /// Processor architecture: `x86-64`, `aarch64`.
    #[schema(example = "x86-64")]
    pub arch: String,
    /// Uploads from it to this project.
    pub run_count: i64,
    /// When the newest of them began.
    pub last_run_at: DateTime<Utc>,
    /// The identity of the stable facts of the newest of them: equal if and only if all of them are.
    pub environment_id: i64,
    /// The machine's fingerprint in the newest of them.
    pub environment: Environment,
}

/// The machines that measured a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/machines", tag = "machines", params(ProjectPath), responses(
    (status = 200, description = "The machines, by name", body = MachineList),
    (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list_machines(
    State(state): State<AppState>,
    Path(path): Path<ProjectPath>,
) -> Result<Json<MachineList>, ApiError> {
    let project_id = project_id(&state, &path).await?;
    let machines = db::machine::list(&state.pool, project_id).await?.into_iter().map(MachineSummary::from);
    Ok(Json(MachineList { machines: machines.collect() }))
}

impl From<db::machine::Row> for MachineSummary {
    fn from(row: db::machine::Row) -> Self {
        Self {
            machine: row.slug,
            os: row.os,
            arch: row.arch,
            run_count: row.run_count,
            last_run_at: row.last_run_at,
            environment_id: row.environment_id,
            environment: Environment { stable: row.stable.0, conditions: row.conditions.0 },
        }
    }
}
