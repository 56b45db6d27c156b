//! The queue, for people: what is to be measured of a project, when, and what became of it.

use super::agents::texts;
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
use roundtrip_domain::audited::jobs::{self, JobOrder};
use roundtrip_domain::error::Kind;
use roundtrip_domain::queue::estimate;
use roundtrip_storage as db;
use roundtrip_storage::job::{self, AttemptRow, Filter, Row};
use roundtrip_wire::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The longest name of a preset.
const PRESET_BYTES_MAX: usize = 200;
/// Estimates rest on so much of the queue; what comes after has none.
const ESTIMATED_MAX: i64 = 20_000;

/// Jobs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobList {
    /// The newest first.
    pub jobs: Vec<Job>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A commit that is to be measured on a machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub job_id: i64,
    /// Where; null: on the first machine that is free and has the labels.
    #[schema(required)]
    pub machine: Option<String>,
    /// What a machine must have to take it, where none is named.
    pub labels: Vec<String>,
    /// What is measured: full object name.
    pub commit_sha: String,
    /// The place of that commit; null while nobody has measured it or what comes after it.
    #[schema(required)]
    pub commit_ordinal: Option<i64>,
    /// What it is compared with, in pairs; null: it is measured by itself.
    #[schema(required)]
    pub base_sha: Option<String>,
    /// The branch that it is of.
    #[schema(required)]
    pub branch: Option<String>,
    /// The pull request that it is of.
    #[schema(required)]
    pub pull_request: Option<i64>,
    /// Whether it comes from another repository: what is measured of it is quarantined.
    pub is_fork: bool,
    /// What is measured of it; null: what its `roundtrip.toml` says.
    #[schema(required)]
    pub preset: Option<String>,
    /// `push`, `schedule`, `request`: somebody asked for it, `pull-request`; `backfill`: all commits of a regression's range
    /// are measured; `bisect`: some that halve it; `repeat`: those that may have made it are measured again, because what
    /// was measured of them does not tell.
    #[schema(example = "bisect")]
    pub reason: String,
    /// The regression whose culprit is looked for.
    #[schema(required)]
    pub regression_id: Option<i64>,
    /// Who asked for it; null: the server by itself.
    #[schema(required)]
    pub requested_by: Option<String>,
    /// `queued`, `running`, `done`, `failed` or `cancelled`.
    #[schema(example = "queued")]
    pub status: String,
    /// How often an agent took it.
    pub attempt: i16,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When it is about to begin, as far as the machines' pace tells; null when it does not wait, or nobody knows.
    #[schema(required)]
    pub starts_at: Option<DateTime<Utc>>,
    /// When it was last taken.
    #[schema(required)]
    pub started_at: Option<DateTime<Utc>>,
    /// When it was done, failed or was cancelled; null while it is open.
    #[schema(required)]
    pub done_at: Option<DateTime<Utc>>,
    /// Why it failed, or did not get done the last time.
    #[schema(required)]
    pub failure: Option<String>,
    /// A run of it, the newest.
    #[schema(required)]
    pub done_by_run_id: Option<Uuid>,
}

/// A job, and what became of it each time that an agent took it.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobDetail {
    /// The job.
    #[serde(flatten)]
    pub job: Job,
    /// The first one first.
    pub attempts: Vec<Attempt>,
}

/// What became of a job when an agent had taken it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attempt {
    /// The number of the lease.
    pub fence: i64,
    /// Which machine took it.
    pub machine: String,
    /// When.
    pub started_at: DateTime<Utc>,
    /// When it was given back, or found to be lost.
    pub ended_at: DateTime<Utc>,
    /// `done`, `failed`, `released`: the agent gave it back, or `lost`: it was not heard of any more.
    #[schema(example = "done")]
    pub outcome: String,
    /// Why not done.
    #[schema(required)]
    pub reason: Option<String>,
    /// The end of what the build and the programs printed.
    pub output: String,
}

/// What is to be measured, and where.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// These commits, in this order. Or `after` and `until`.
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 1000)]
    pub commits: Vec<CommitSha>,
    /// The commits that follow this one on the main line and that a machine has not measured,
    #[schema(value_type = Option<String>)]
    pub after: Option<CommitSha>,
    /// up to this one.
    #[schema(value_type = Option<String>)]
    pub until: Option<CommitSha>,
    /// What each is compared with, in pairs.
    #[schema(value_type = Option<String>)]
    pub base: Option<CommitSha>,
    /// The branch that they are of.
    #[schema(max_length = 255)]
    pub branch: Option<String>,
    /// On these machines. Without: on every one that has the labels.
    pub machines: Option<Vec<Slug>>,
    /// What a machine must have.
    #[serde(default)]
    pub labels: Vec<Slug>,
    /// On the first machine that is free and has the labels, and no other.
    #[serde(default)]
    pub on_any: bool,
    /// What is measured of them: a preset, or the path of a definition in the repository. Without: what their
    /// `roundtrip.toml` says.
    #[schema(max_length = 200, example = "quick")]
    pub preset: Option<String>,
    /// That they were pushed: `true` of a hook of the repository. They come after what a person asks for.
    #[serde(default)]
    pub is_push: bool,
}

/// What was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobsRequested {
    /// The new jobs; what was open already is not among them.
    pub job_ids: Vec<i64>,
}

/// Which jobs are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobQuery {
    /// Those that are over, or those that are open; both unless it is said.
    pub done: Option<bool>,
    /// Those of one regression.
    pub regression: Option<i64>,
    /// Those of one pull request.
    pub pull_request: Option<i64>,
}

/// A job of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct JobPath {
    /// The project's name.
    #[param(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// The job's number.
    pub job_id: i64,
}

/// What is to be measured of a project, and what was.
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
    let JobQuery { done, regression, pull_request } = asked.query;
    let filter = Filter { done, regression_id: regression, pull_request };
    let rows = job::list(&state.pool, project_id, filter, asked.after.unwrap_or(i64::MAX), asked.row_limit())
        .await?;
    let (rows, next_after) = asked.cut(rows, |row| row.job_id);
    Ok(Json(JobList { jobs: shown(&state, rows).await?, next_after }))
}

/// One job, with what was printed when it was measured.
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
    let mut jobs = shown(&state, vec![found.ok_or_else(unknown)?]).await?;
    let attempts = job::attempts(&state.pool, path.job_id).await?;
    let job = jobs.pop().ok_or_else(unknown)?;
    Ok(Json(JobDetail { job, attempts: attempts.into_iter().map(Attempt::from).collect() }))
}

/// Asks for commits to be measured. What is open already is not asked for twice.
#[utoipa::path(
    post, path = "/api/v1/projects/{project}/jobs", tag = "jobs", params(ProjectPath), request_body = JobRequest,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "It is asked for", body = JobsRequested),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn request_jobs(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(asked): Body<JobRequest>,
) -> Result<(StatusCode, Json<JobsRequested>), ApiError> {
    let found = permitted::project(&state, &caller, Action::Queue, &path.project).await?;
    check_preset(asked.preset.as_deref())?;
    let labels = texts(&asked.labels)?;
    let JobRequest { commits, after, until, base, branch, machines, on_any, preset, is_push, .. } = asked;
    let order = JobOrder { commits, after, until, base, branch, machines, labels, on_any, preset, is_push };
    let job_ids = jobs::request_jobs(&state.pool, &caller.by(), &found, &order).await?;
    state.queue.wake();
    Ok((StatusCode::CREATED, Json(JobsRequested { job_ids })))
}

/// Cancels a job that is open. An agent that measures it hears of that between two repetitions.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/jobs/{job_id}", tag = "jobs", params(JobPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "It is cancelled, or was over before"))
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

/// Refuses what no preset and no definition is called.
pub(super) fn check_preset(preset: Option<&str>) -> Result<(), ApiError> {
    let is_plain = |preset: &str| {
        (1..=PRESET_BYTES_MAX).contains(&preset.len())
            && !preset.contains(char::is_control)
            && !preset.starts_with(['/', '-'])
            && !preset.split(['/', '\\']).any(|part| part == "..")
    };
    if preset.is_none_or(is_plain) {
        return Ok(());
    }
    Err(ApiError::parameter("preset", "expected the name of a preset, or a path within the repository"))
}

/// With when they are about to begin.
async fn shown(state: &AppState, rows: Vec<Row>) -> Result<Vec<Job>, ApiError> {
    let now = Utc::now();
    let starts = if rows.iter().any(|row| row.status == "queued") {
        starts(state, now).await?
    } else {
        HashMap::new()
    };
    let starts_at = |row: &Row| {
        let seconds = starts.get(&row.job_id)?;
        #[expect(clippy::cast_possible_truncation, reason = "a queue of less than 10^11 years")]
        Some(now + TimeDelta::try_milliseconds((seconds * 1e3) as i64)?)
    };
    Ok(rows.into_iter().map(|row| Job::new(starts_at(&row), row)).collect())
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

impl Job {
    fn new(starts_at: Option<DateTime<Utc>>, row: Row) -> Self {
        Self {
            job_id: row.job_id,
            machine: row.machine,
            labels: row.labels,
            commit_sha: row.commit_sha,
            commit_ordinal: row.commit_ordinal,
            base_sha: row.base_sha,
            branch: row.branch,
            pull_request: row.pull_request,
            is_fork: row.is_fork,
            preset: row.preset,
            reason: row.reason,
            regression_id: row.regression_id,
            requested_by: row.requested_by,
            status: row.status,
            attempt: row.attempt,
            created_at: row.created_at,
            starts_at,
            started_at: row.started_at,
            done_at: row.done_at,
            failure: row.failure,
            done_by_run_id: row.run_id,
        }
    }
}

impl From<AttemptRow> for Attempt {
    fn from(row: AttemptRow) -> Self {
        Self {
            fence: row.fence,
            machine: row.machine,
            started_at: row.started_at,
            ended_at: row.ended_at,
            outcome: row.outcome,
            reason: row.reason,
            output: row.output,
        }
    }
}
