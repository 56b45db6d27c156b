//! The job queue of a project.

use super::permitted;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, Page, Paged, Path};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::jobs::{self, JobRequest};
use roundtrip_domain::error::Kind;
use roundtrip_domain::queue::estimate;
use roundtrip_storage as db;
use roundtrip_storage::job::{self, Attempt, Filter, Job};
use roundtrip_wire::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// The maximum number of queued jobs with an estimated start.
const ESTIMATED_MAX: i64 = 20_000;

/// Jobs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobList {
    /// The newest first.
    pub jobs: Vec<Job>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A job with its attempts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobDetail {
    /// The job.
    #[serde(flatten)]
    pub job: Job,
    /// The attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// The queued jobs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobsRequested {
    /// The new jobs, without those that were already open.
    pub job_ids: Vec<i64>,
}

/// Filters for jobs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct JobQuery {
    /// Finished or open jobs. The default is both.
    pub done: Option<bool>,
    /// Only jobs for this regression.
    pub regression: Option<i64>,
    /// Only jobs for this pull request.
    pub pull_request: Option<i64>,
    /// Only jobs that measure this commit: the full object name.
    #[param(value_type = Option<String>)]
    pub commit: Option<CommitSha>,
}

/// A job of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct JobPath {
    /// The project's name.
    #[param(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// The job's number.
    pub job_id: i64,
}

/// The jobs of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/jobs", tag = "jobs", params(ProjectPath, JobQuery, Page), responses(
    (status = 200, description = "The jobs, the newest first", body = JobList),
))]
pub(crate) async fn list_jobs(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<JobQuery, i64>,
) -> Result<Json<JobList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let JobQuery { done, regression, pull_request, commit } = &paged.query;
    let commit_sha = commit.as_ref().map(CommitSha::as_str);
    let filter = Filter { done: *done, regression_id: *regression, pull_request: *pull_request, commit_sha };
    let rows = job::list(&state.pool, project_id, filter, paged.after.unwrap_or(i64::MAX), paged.row_limit())
        .await?;
    let (rows, next_after) = paged.cut(rows, |row| row.job_id);
    Ok(Json(JobList { jobs: with_starts(&state, rows).await?, next_after }))
}

/// One job with its output.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/jobs/{job_id}", tag = "jobs", params(JobPath), responses(
    (status = 200, description = "The job", body = JobDetail),
))]
pub(crate) async fn get_job(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
) -> Result<Json<JobDetail>, ApiError> {
    let project_id = project_id(&state, &caller, &ProjectPath { project: path.project }).await?;
    let found = job::find(&mut *state.pool.acquire().await?, project_id, path.job_id).await?;
    let unknown = || ApiError::unknown(Kind::Job, path.job_id);
    let mut jobs = with_starts(&state, vec![found.ok_or_else(unknown)?]).await?;
    let attempts = job::attempts(&state.pool, path.job_id).await?;
    let job = jobs.pop().ok_or_else(unknown)?;
    Ok(Json(JobDetail { job, attempts }))
}

/// Queues jobs for commits. Jobs that are already open are not queued again.
#[utoipa::path(
    post, path = "/api/v1/projects/{project}/jobs", tag = "jobs", params(ProjectPath), request_body = JobRequest,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The jobs are queued", body = JobsRequested),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn request_jobs(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(request): Body<JobRequest>,
) -> Result<(StatusCode, Json<JobsRequested>), ApiError> {
    let found = permitted::project(&state, &caller, Action::Queue, &path.project).await?;
    let job_ids = jobs::request_jobs(&state.pool, &caller.by(), &found, &request).await?;
    state.queue.wake();
    Ok((StatusCode::CREATED, Json(JobsRequested { job_ids })))
}

/// Cancels an open job. If an agent is running it, the agent stops between two repetitions.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/jobs/{job_id}", tag = "jobs", params(JobPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "The job is cancelled or was already finished"))
)]
pub(crate) async fn cancel_job(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
) -> Result<StatusCode, ApiError> {
    let found = permitted::project(&state, &caller, Action::Queue, &path.project).await?;
    jobs::cancel_job(&state.pool, &caller.by(), &found, path.job_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds estimated starts.
async fn with_starts(state: &AppState, mut jobs: Vec<Job>) -> Result<Vec<Job>, ApiError> {
    if jobs.iter().any(|job| job.status == "queued") {
        let now = Utc::now();
        let starts = starts(state, now).await?;
        for job in &mut jobs {
            #[expect(clippy::cast_possible_truncation, reason = "a queue of less than 10^11 years")]
            let wait = starts.get(&job.job_id).and_then(|s| TimeDelta::try_milliseconds((s * 1e3) as i64));
            job.starts_at = wait.map(|wait| now + wait);
        }
    }
    Ok(jobs)
}

async fn starts(state: &AppState, now: DateTime<Utc>) -> Result<HashMap<i64, f64>, ApiError> {
    let open = job::open(&state.pool, ESTIMATED_MAX).await?;
    let agents = db::agent::takers(&state.pool).await?;
    let machine_ids: Vec<i64> = agents.iter().map(|agent| agent.machine_id).collect();
    let paces = job::paces(&state.pool, &machine_ids).await?;
    let bound: Vec<String> = agents.iter().filter_map(|agent| agent.project.clone()).collect();
    let projects = db::project::keys(&state.pool, &bound).await?;
    Ok(estimate::starts(&open, &agents, &projects, &paces, now))
}
