//! Environments: what a machine's fingerprint was while it measured a project.

use super::machines::MachinePath;
use super::projects::project_id;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use crate::routes::projects::ProjectPath;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The most environments of one answer: the last ones.
const ENVIRONMENTS_MAX: i64 = 100;

/// The environments in which a machine measured a project: the last 100.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnvironmentList {
    /// The one that was left last first.
    pub environments: Vec<EnvironmentSummary>,
}

/// One environment.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnvironmentSummary {
    /// Its identity: points with different ones are not compared.
    pub environment_id: i64,
    /// When the first run in it began.
    pub first_run_at: DateTime<Utc>,
    /// When the last one did.
    pub last_run_at: DateTime<Utc>,
    /// How many there are.
    pub run_count: i64,
    /// Its facts, by name.
    pub stable: BTreeMap<String, String>,
}

/// The environments in which a machine measured a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/machines/{machine}/environments", tag = "machines", params(MachinePath),
    responses((status = 200, description = "The environments, the last first", body = EnvironmentList)),
)]
pub(crate) async fn list_environments(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<MachinePath>,
) -> Result<Json<EnvironmentList>, ApiError> {
    let MachinePath { project, machine } = path;
    let project_id = project_id(&state, &caller, &ProjectPath { project }).await?;
    let rows =
        db::environment::of_machine(&state.pool, project_id, machine.as_str(), ENVIRONMENTS_MAX).await?;
    if rows.is_empty() {
        return Err(ApiError::unknown(Kind::Machine, machine.as_str()));
    }
    let environments = rows
        .into_iter()
        .map(|row| EnvironmentSummary {
            environment_id: row.environment_id,
            first_run_at: row.first_run_at,
            last_run_at: row.last_run_at,
            run_count: row.run_count,
            stable: row.stable.0,
        })
        .collect();
    Ok(Json(EnvironmentList { environments }))
}
