//! What machines are asked to measure.

use super::projects::{ProjectPath, project_id};
use crate::db::job::{self, Filter, Row};
use crate::extract::{Caller, Cursor, Page, Paged, Path};
use crate::{AppState, error::ApiError};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Jobs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobList {
    /// The newest first.
    pub jobs: Vec<Job>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A commit that a machine is asked to measure.
#[derive(Debug, Serialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub job_id: i64,
    /// Where it is to be measured.
    pub machine: String,
    /// What is to be measured: full object name.
    pub commit_sha: String,
    /// The place of that commit.
    pub commit_ordinal: i64,
    /// `backfill`: all commits of a regression's range are measured; `bisect`: some that halve it; `repeat`: those that
    /// may have made it are measured again, because what was measured of them does not tell.
    #[schema(example = "bisect")]
    pub reason: String,
    /// The regression whose culprit is looked for.
    #[schema(required)]
    pub regression_id: Option<i64>,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When a run of it had arrived; null while it is waited for.
    #[schema(required)]
    pub done_at: Option<DateTime<Utc>>,
    /// That run.
    #[schema(required)]
    pub done_by_run_id: Option<Uuid>,
}

/// Which jobs are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobQuery {
    /// Those that are done, or those that are waited for; both unless it is said.
    pub done: Option<bool>,
    /// Those of one regression.
    pub regression: Option<i64>,
}

/// What machines are asked to measure of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/jobs", tag = "jobs", params(ProjectPath, JobQuery, Page), responses(
    (status = 200, description = "The jobs, the newest first", body = JobList),
))]
pub(crate) async fn list_jobs(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    asked: Paged<JobQuery, i64>,
) -> Result<Json<JobList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = Filter { done: asked.query.done, regression_id: asked.query.regression };
    let rows = job::list(&state.pool, project_id, filter, asked.after.unwrap_or(i64::MAX), asked.row_limit())
        .await?;
    let (rows, next_after) = asked.cut(rows, |row| row.job_id);
    Ok(Json(JobList { jobs: rows.into_iter().map(Job::from).collect(), next_after }))
}

impl From<Row> for Job {
    fn from(row: Row) -> Self {
        Self {
            job_id: row.job_id,
            machine: row.machine,
            commit_sha: row.commit_sha,
            commit_ordinal: row.commit_ordinal,
            reason: row.reason,
            regression_id: row.regression_id,
            created_at: row.created_at,
            done_at: row.done_at,
            done_by_run_id: row.done_by_run_id,
        }
    }
}
