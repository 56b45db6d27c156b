//! Machines: where a project was measured, and the fingerprint each had last.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Page, Paged, Path};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::analysis;
use roundtrip_storage as db;
use roundtrip_wire::{Environment, Slug};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The machines of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct MachineList {
    /// By name.
    pub machines: Vec<MachineSummary>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
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
    /// Runs of any project that were acknowledged to agents on it and are not stored any more: lost, as when the database
    /// was restored from a backup. What is removed by age does not count.
    pub lost_run_count: i64,
    /// Why it is suspect: it changed by itself of late, so that nobody is alerted of what is measured on it. Null when it is
    /// not.
    #[schema(required)]
    pub suspect_because: Option<String>,
}

/// A machine of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct MachinePath {
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
    asked: Paged<Everything, String>,
) -> Result<Json<MachineList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let after = asked.after.as_deref().unwrap_or_default();
    let rows = db::machine::list(&state.pool, project_id, after, asked.row_limit()).await?;
    let (rows, next_after) = asked.cut(rows, |row| row.slug.clone());
    let machine_ids: Vec<i64> = rows.iter().map(|row| row.machine_id).collect();
    let mut connection = state.pool.acquire().await?;
    let mut suspect = analysis::suspect::why(&mut connection, project_id, &machine_ids).await?;
    let summary = |row: db::machine::Row| MachineSummary {
        suspect_because: suspect.remove(&row.machine_id),
        ..MachineSummary::from(row)
    };
    Ok(Json(MachineList { machines: rows.into_iter().map(summary).collect(), next_after }))
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
            lost_run_count: row.lost_run_count,
            suspect_because: None,
        }
    }
}
