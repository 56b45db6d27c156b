//! What a machine read of itself, run by run: when a canary moves, the machine moved.

use super::machines::MachinePath;
use super::projects::{ProjectPath, project_id};
use super::runs::within;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The most runs in one answer.
const RUNS_MAX: i64 = 1_000;
/// Runs in one answer unless asked otherwise.
const RUNS_DEFAULT: i64 = 200;

/// What a machine read of itself in the newest of its runs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct CanaryHistory {
    /// Its name.
    pub machine: String,
    /// By run, the oldest first.
    pub readings: Vec<CanaryReading>,
}

/// What a machine read of itself in one run.
#[derive(Debug, Serialize, ToSchema)]
pub struct CanaryReading {
    /// Of which run.
    pub run_id: Uuid,
    /// When it began, by the agent's clock.
    pub started_at: DateTime<Utc>,
    /// The place of its commit.
    pub commit_ordinal: i64,
    /// The identity of the machine's stable facts: readings with different ones are not compared.
    pub environment_id: i64,
    /// Of each canary by its name, the median of its readings, in nanoseconds per operation. One that could not be read is
    /// not there; the run says why.
    pub p50_ns: BTreeMap<String, u64>,
}

/// Which runs are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CanaryQuery {
    /// The newest of them.
    #[param(minimum = 1, maximum = 1000, default = 200)]
    pub last: Option<i64>,
}

/// What a machine read of itself in the newest of its runs of a project.
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
    let last = within("last", query.last, RUNS_DEFAULT, RUNS_MAX)?;
    let machine_id = db::canary::machine_of_project(&state.pool, project_id, machine.as_str()).await?;
    let machine_id = machine_id.ok_or_else(|| ApiError::unknown(Kind::Machine, &machine))?;
    let newest = db::canary::newest(&state.pool, (project_id, machine_id), last).await?;
    let readings = newest.into_iter().rev().map(CanaryReading::from).collect();
    Ok(Json(CanaryHistory { machine: machine.to_string(), readings }))
}

impl From<db::canary::Row> for CanaryReading {
    fn from(row: db::canary::Row) -> Self {
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
