//! The queue: jobs, their machines and their leases.
//!
//! - [`lease`]: claims, renews and releases jobs. [`request`](mod@request): requests jobs.
//!
//! Each lease has a fence, a number that grows. Agents send it with every message about a job, so an agent that stalled for
//! longer than its lease is rejected.

pub mod lease;
pub mod request;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use uuid::Uuid;

/// A commit to measure on a machine.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub job_id: i64,
    /// The machine; null for the first free one with the labels.
    #[schema(required)]
    pub machine: Option<String>,
    /// The labels that a machine needs, if no machine is named.
    pub labels: Vec<String>,
    /// The full SHA of the commit.
    pub commit_sha: String,
    /// The commit's ordinal; null until it or a later commit is measured.
    #[schema(required)]
    pub commit_ordinal: Option<i64>,
    /// The base to compare with in pairs; null without a comparison.
    #[schema(required)]
    pub base_sha: Option<String>,
    /// The branch.
    #[schema(required)]
    pub branch: Option<String>,
    /// The pull request.
    #[schema(required)]
    pub pull_request: Option<i64>,
    /// Whether it comes from a fork. Its results are quarantined.
    pub is_fork: bool,
    /// The preset; null to use the commit's `roundtrip.toml`.
    #[schema(required)]
    pub preset: Option<String>,
    /// `push`, `schedule`, `request` (by a user), `pull-request`, `backfill` (all commits in a regression's range),
    /// `bisect` (commits that halve the range), `repeat` (suspect commits again, after an unclear result) or `confirm` (a
    /// commit with unexpected results, compared with its base).
    #[schema(example = "bisect")]
    pub reason: String,
    /// The regression whose cause is searched.
    #[schema(required)]
    pub regression_id: Option<i64>,
    /// Who requested it; null for the server.
    #[schema(required)]
    pub requested_by: Option<String>,
    /// `queued`, `running`, `done`, `failed` or `cancelled`.
    #[schema(example = "queued")]
    pub status: String,
    /// How often an agent claimed it.
    pub attempt: i16,
    /// When it was queued.
    pub created_at: DateTime<Utc>,
    /// The estimated start; null if it is not waiting, or if there is no estimate.
    #[schema(required)]
    pub starts_at: Option<DateTime<Utc>>,
    /// When an agent last claimed it.
    #[schema(required)]
    pub started_at: Option<DateTime<Utc>>,
    /// When it was done, failed or cancelled; null while it is open.
    #[schema(required)]
    pub done_at: Option<DateTime<Utc>>,
    /// Why it failed, or why the last attempt did not finish.
    #[schema(required)]
    pub failure: Option<String>,
    /// Its newest run.
    #[schema(required)]
    pub done_by_run_id: Option<Uuid>,
}

/// One attempt at a job.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attempt {
    /// The number of the lease.
    pub fence: i64,
    /// The machine that claimed it.
    pub machine: String,
    /// When it was claimed.
    pub started_at: DateTime<Utc>,
    /// When it ended, or was found to be lost.
    pub ended_at: DateTime<Utc>,
    /// `done`, `failed`, `released` (the agent returned it) or `lost` (no contact with the agent).
    #[schema(example = "done")]
    pub outcome: String,
    /// Why the job was not done.
    #[schema(required)]
    pub reason: Option<String>,
    /// The end of the output of the build and the programs.
    pub output: String,
}

/// The jobs to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Finished jobs if true, open ones if false.
    pub done: Option<bool>,
    /// Only jobs for this regression.
    pub regression_id: Option<i64>,
    /// Only jobs for this pull request.
    pub pull_request: Option<i64>,
    /// Only jobs that measure this commit, by its full object name.
    pub commit_sha: Option<&'a str>,
}

macro_rules! select_jobs {
    ($rest:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Job,
            r#"select job.job_id, machine.slug as "machine?", job.commit_sha, commit.ordinal as "commit_ordinal?",
                      job.base_sha, job.branch, job.pull_request, job.is_fork, job.preset, job.labels, job.reason,
                      job.regression_id, job.requested_by, job.status, job.attempt, job.created_at,
                      job.started_at, job.done_at, job.failure,
                      coalesce(job.done_by_run_id,
                               (select run.run_id from run where run.job_id = job.job_id and not run.superseded
                                order by run.run_id desc limit 1)) as "done_by_run_id?",
                      null::timestamptz as "starts_at?"
               from job
               left join agent on agent.agent_id = job.agent_id and job.status <> 'queued'
               left join machine on machine.machine_id = coalesce(job.machine_id, agent.machine_id)
               left join commit on commit.project_id = job.project_id and commit.sha = job.commit_sha
               where "# + $rest,
            $($argument),+
        )
    };
}

/// The jobs of a project before one, newest first.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: Filter<'_>,
    before: i64,
    limit: i64,
) -> sqlx::Result<Vec<Job>> {
    select_jobs!(
        "job.project_id = $1 and job.job_id < $2
         and ($3::boolean is null or (job.done_at is not null) = $3)
         and ($4::bigint is null or job.regression_id = $4)
         and ($5::bigint is null or job.pull_request = $5)
         and ($6::text is null or job.commit_sha = $6)
         order by job.job_id desc
         limit $7",
        project_id,
        before,
        filter.done,
        filter.regression_id,
        filter.pull_request,
        filter.commit_sha,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// One job of a project.
pub async fn find(connection: &mut PgConnection, project_id: i64, job_id: i64) -> sqlx::Result<Option<Job>> {
    select_jobs!("job.project_id = $1 and job.job_id = $2", project_id, job_id)
        .fetch_optional(connection)
        .await
}

/// The ended leases of a job, oldest first.
pub async fn attempts(pool: &PgPool, job_id: i64) -> sqlx::Result<Vec<Attempt>> {
    sqlx::query_as!(
        Attempt,
        "select job_attempt.fence, machine.slug as machine, job_attempt.started_at, job_attempt.ended_at,
                job_attempt.outcome, job_attempt.reason, job_attempt.output
         from job_attempt
         join agent on agent.agent_id = job_attempt.agent_id
         join machine on machine.machine_id = agent.machine_id
         where job_attempt.job_id = $1
         order by job_attempt.fence",
        job_id,
    )
    .fetch_all(pool)
    .await
}

/// A run that was measured for a job.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of tables run and commit, described there")]
pub struct RunRow {
    pub run_id: Uuid,
    pub commit_sha: String,
    pub preset: String,
}

/// The valid runs of a job, without those of a lost lease.
pub async fn runs(pool: &PgPool, job_id: i64) -> sqlx::Result<Vec<RunRow>> {
    sqlx::query_as!(
        RunRow,
        "select run.run_id, commit.sha as commit_sha, run.preset from run
         join commit on commit.commit_id = run.commit_id
         where run.job_id = $1 and not run.superseded
         order by run.run_id",
        job_id,
    )
    .fetch_all(pool)
    .await
}

/// A job that compares a commit with a base, to find a regression's culprit.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table job, described there")]
pub struct PairedJob {
    pub job_id: i64,
    pub machine_id: Option<i64>,
    pub series_id: Option<i64>,
    pub commit_sha: String,
    pub base_sha: String,
    pub preset: Option<String>,
    pub status: String,
    pub failure: Option<String>,
}

/// The paired jobs of a regression, oldest first.
pub async fn paired(connection: &mut PgConnection, regression_id: i64) -> sqlx::Result<Vec<PairedJob>> {
    sqlx::query_as!(
        PairedJob,
        r#"select job_id, machine_id, series_id, commit_sha, base_sha as "base_sha!", preset, status, failure from job
           where regression_id = $1 and base_sha is not null
           order by job_id"#,
        regression_id,
    )
    .fetch_all(connection)
    .await
}

/// Marks jobs as done by runs that were not requested, from an agent that measures its checkout. Agents report claimed
/// jobs themselves.
pub async fn finish_unasked(
    connection: &mut PgConnection,
    machine_id: i64,
    run_ids: &[Uuid],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update job set status = 'done', done_at = $3, done_by_run_id = run.run_id, lease_expires_at = null
         from run
         join commit on commit.commit_id = run.commit_id
         where run.run_id = any($2) and not run.work_tree_modified and not run.quarantined and not run.superseded
           and job.machine_id = $1 and job.project_id = run.project_id and job.commit_sha = commit.sha
           and job.status = 'queued' and job.base_sha is null and job.preset is null",
        machine_id,
        run_ids,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// How many of each project's jobs done by an agent are considered.
const ATTEMPTS_SEEN: i64 = 1_000;

/// The median duration of the last ten completed jobs of a project on a machine, in seconds.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table job, described there")]
pub struct Pace {
    pub project_id: i64,
    pub machine_id: i64,
    pub seconds: f64,
}

/// The durations of jobs, by project and machine, where any was completed.
pub async fn paces(pool: &PgPool, machine_ids: &[i64]) -> sqlx::Result<Vec<Pace>> {
    sqlx::query_as!(
        Pace,
        r#"select newest.project_id as "project_id!", newest.machine_id as "machine_id!",
                  percentile_cont(0.5) within group (order by newest.seconds) as "seconds!"
           from (select job.project_id, agent.machine_id, done.seconds,
                        row_number() over (partition by job.project_id, agent.machine_id order by done.ended_at desc) as nth
                 from agent
                 cross join lateral (
                     select job_id, ended_at, extract(epoch from ended_at - started_at)::float8 as seconds
                     from job_attempt
                     where job_attempt.agent_id = agent.agent_id and outcome = 'done'
                     order by ended_at desc
                     limit $2
                 ) as done
                 join job on job.job_id = done.job_id
                 where agent.machine_id = any($1)) as newest
           where newest.nth <= 10
           group by newest.project_id, newest.machine_id"#,
        machine_ids,
        ATTEMPTS_SEEN,
    )
    .fetch_all(pool)
    .await
}

/// The fields of an open job that determine its place in the queue.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table job, described there")]
pub struct Open {
    pub job_id: i64,
    pub project_id: i64,
    pub machine_id: Option<i64>,
    pub labels: Vec<String>,
    pub is_running: bool,
    pub started_at: Option<DateTime<Utc>>,
}

/// All open jobs of all projects, in queue order.
pub async fn open(pool: &PgPool, limit: i64) -> sqlx::Result<Vec<Open>> {
    sqlx::query_as!(
        Open,
        r#"select job.job_id, job.project_id,
                  case when job.status = 'running' then agent.machine_id else job.machine_id end as machine_id,
                  job.labels, job.status = 'running' as "is_running!", job.started_at
           from job
           left join agent on agent.agent_id = job.agent_id
           where job.done_at is null
           order by job.priority desc, job.turn, job.job_id
           limit $1"#,
        limit,
    )
    .fetch_all(pool)
    .await
}
