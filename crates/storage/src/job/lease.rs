//! Claiming, renewing and releasing jobs. Calls with an outdated fence change nothing and return `None` or `false`.

use super::super::run::Standing;
use chrono::{DateTime, Utc};
use roundtrip_wire::lab::{JobOutcome, Lease};
use sqlx::{PgConnection, PgPool};
use std::time::Duration;

/// The duration of a lease: longer than a repetition can take.
pub const LEASE: Duration = Duration::from_secs(120);
/// The number of claims of a job before the server gives it up.
pub const ATTEMPTS_MAX: i16 = 3;
/// Jobs that wait for a day rise by one priority, and again the day after.
const PATIENCE: Duration = Duration::from_secs(24 * 3_600);

/// A claimed job.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table job, described there")]
pub struct Taken {
    /// The position of its agent among those that claim, from 1.
    nth: i64,
    pub job_id: i64,
    pub fence: i64,
    pub project: String,
    pub repository_url: Option<String>,
    pub commit_sha: String,
    pub base_sha: Option<String>,
    pub branch: Option<String>,
    pub pull_request: Option<i64>,
    pub preset: Option<String>,
    /// The digest of the only case to measure.
    pub case_digest: Option<Vec<u8>>,
}

/// Gives each agent, in order, the first job that it may take and no earlier agent got: a queued one, or one
/// with an expired lease. The results are in the same order. Only as many jobs as agents are considered, so
/// an agent without a job may get one when it asks again.
///
/// The conditions on jobs are one `case`, which PostgreSQL estimates to be true for half of the rows. For
/// separate conditions it would estimate almost no rows while a new table has no statistics, and would sort
/// all of ten thousand jobs for every agent.
///
/// # Errors
/// The database does not answer, and no agent got a job.
pub async fn take(
    connection: &mut PgConnection,
    agent_ids: &[i64],
    lease: Duration,
) -> sqlx::Result<Vec<Option<Taken>>> {
    let given = sqlx::query_as!(
        Taken,
        r#"with recursive asking as materialized (
               select asked.nth, agent.agent_id, agent.machine_id, agent.labels, project.project_id,
                      agent.project is null as is_for_all
               from unnest($1::bigint[]) with ordinality as asked (agent_id, nth)
               join agent on agent.agent_id = asked.agent_id and agent.is_enabled and agent.revoked_at is null
               left join project on project.slug = agent.project
           ), next as materialized (
               select job.job_id, job.status, job.agent_id, job.fence, job.started_at, job.priority, job.turn,
                      takers.nths
               from job
               cross join lateral (
                   select array(
                       select asking.nth from asking
                       where (asking.is_for_all or asking.project_id = job.project_id)
                           and case when job.machine_id is null then job.labels <@ asking.labels
                                    else job.machine_id = asking.machine_id end
                   ) as nths
                   -- Or it is looked for twice.
                   offset 0
               ) as takers
               where job.done_at is null and case
                   when job.status = 'running' and job.lease_expires_at > now() then false
                   when job.attempt >= $2 then false
                   else takers.nths <> '{}'
               end
               order by job.priority desc, job.turn, job.job_id
               limit cardinality($1::bigint[])
               for update of job skip locked
           ), given (nth, job_id, gone) as (
               select 0::bigint, null::bigint, '{}'::bigint[]
               union all
               select given.nth + 1, first.job_id, given.gone || coalesce(first.job_id, 0)
               from given
               left join lateral (
                   select next.job_id from next
                   where given.nth + 1 = any(next.nths) and next.job_id <> all(given.gone)
                   order by next.priority desc, next.turn, next.job_id
                   limit 1
               ) as first on true
               where given.nth < cardinality($1::bigint[])
           ), lost as (
               insert into job_attempt (job_id, fence, agent_id, started_at, ended_at, outcome, output)
               select next.job_id, next.fence, next.agent_id, next.started_at, now(), 'lost', ''
               from next join given on given.job_id = next.job_id
               where next.status = 'running'
               -- It was taken for lost before, and went on.
               on conflict (job_id, fence) do update set ended_at = excluded.ended_at
           )
           update job
           set status = 'running', agent_id = ($1::bigint[])[given.nth], attempt = job.attempt + 1,
               fence = job.fence + 1, started_at = now(), lease_expires_at = now() + make_interval(secs => $3)
           from given, project
           where job.job_id = given.job_id and project.project_id = job.project_id
           returning given.nth as "nth!", job.job_id, job.fence, project.slug as project, project.repository_url,
                     job.commit_sha, job.base_sha, job.branch, job.pull_request, job.preset,
                     (select measured_case.digest from series
                      join measured_case on measured_case.case_id = series.case_id
                      where series.series_id = job.series_id) as case_digest"#,
        agent_ids,
        ATTEMPTS_MAX,
        lease.as_secs_f64(),
    )
    .fetch_all(connection)
    .await?;
    let mut answers = vec![None; agent_ids.len()];
    for taken in given {
        let at = usize::try_from(taken.nth - 1).ok();
        if let Some(answer) = at.and_then(|at| answers.get_mut(at)) {
            *answer = Some(taken);
        }
    }
    Ok(answers)
}

/// Renews a lease. An expired one can be renewed until another agent has the job.
pub async fn prolong(
    pool: &PgPool,
    agent_id: i64,
    (job_id, fence): (i64, i64),
    lease: Duration,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "with seen as (update agent set last_seen_at = now() where agent_id = $1)
         update job set lease_expires_at = now() + make_interval(secs => $4), status = 'running'
         where job_id = $2 and fence = $3 and agent_id = $1 and done_at is null",
        agent_id,
        job_id,
        fence,
        lease.as_secs_f64(),
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The job of a run that was measured under this lease: in the same project, for the same commit or its base.
/// Otherwise the run has no job. Locks the job until the transaction ends.
pub async fn standing(
    connection: &mut PgConnection,
    lease: Lease,
    project_id: i64,
    commit_sha: &str,
) -> sqlx::Result<Standing> {
    let found = sqlx::query!(
        "select fence, is_fork from job
         where job_id = $1 and project_id = $2 and (commit_sha = $3 or base_sha is not null)
         for share",
        lease.job_id,
        project_id,
        commit_sha,
    )
    .fetch_optional(connection)
    .await?;
    Ok(found.map_or_else(Standing::default, |job| Standing {
        job_id: Some(lease.job_id),
        superseded: lease.fence < job.fence,
        quarantined: job.is_fork,
    }))
}

/// The outcome of a lease, reported by its agent.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The outcome.
    pub outcome: JobOutcome,
    /// Why not done.
    pub reason: Option<&'a str>,
    /// The output.
    pub output: &'a str,
}

/// Ends a lease and, unless the job is released, the job. A repeated call changes nothing and returns true.
pub async fn end(
    connection: &mut PgConnection,
    agent_id: i64,
    (job_id, fence): (i64, i64),
    end: End<'_>,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    let outcome = name(end.outcome);
    let done = sqlx::query!(
        "with held as (
             select job_id, started_at from job
             where job_id = $2 and fence = $3 and agent_id = $1 and done_at is null
             for update
         ), told as (
             insert into job_attempt (job_id, fence, agent_id, started_at, ended_at, outcome, reason, output)
             select job_id, $3, $1, started_at, $4, $5, $6, $7 from held
             -- It was taken for lost.
             on conflict (job_id, fence) do update
             set ended_at = excluded.ended_at, outcome = excluded.outcome, reason = excluded.reason,
                 output = excluded.output
         )
         update job
         set status = case when $5 = 'released' then 'queued' else $5 end,
             done_at = case when $5 = 'released' then null else $4 end,
             attempt = case when $5 = 'released' then job.attempt - 1 else job.attempt end,
             agent_id = case when $5 = 'released' then null else job.agent_id end,
             lease_expires_at = null,
             failure = $6
         from held
         where job.job_id = held.job_id",
        agent_id,
        job_id,
        fence,
        now,
        outcome,
        end.reason,
        end.output,
    )
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 1 {
        return Ok(true);
    }
    // The answer was lost, so the agent repeats the request.
    sqlx::query_scalar!(
        r#"select exists (
               select from job_attempt where job_id = $1 and fence = $2 and agent_id = $3 and outcome = $4
           ) as "exist!""#,
        job_id,
        fence,
        agent_id,
        outcome,
    )
    .fetch_one(connection)
    .await
}

fn name(outcome: JobOutcome) -> &'static str {
    match outcome {
        JobOutcome::Done => "done",
        JobOutcome::Failed => "failed",
        JobOutcome::Released => "released",
    }
}

/// The result of a sweep of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Jobs requeued after their lease expired.
    pub requeued: i64,
    /// Jobs given up after too many attempts.
    pub given_up: i64,
}

/// Requeues jobs with expired leases, fails those with too many attempts, and raises the priority of old ones.
pub async fn sweep(pool: &PgPool) -> sqlx::Result<Swept> {
    let swept = sqlx::query_as!(
        Swept,
        r#"with expired as (
               select job_id, fence, agent_id, started_at, attempt >= $1 as is_over from job
               where status = 'running' and lease_expires_at <= now()
               for update skip locked
           ), told as (
               insert into job_attempt (job_id, fence, agent_id, started_at, ended_at, outcome, output)
               select job_id, fence, agent_id, started_at, now(), 'lost', '' from expired
               on conflict (job_id, fence) do update set ended_at = excluded.ended_at
           ), changed as (
               update job
               set status = case when is_over then 'failed' else 'queued' end,
                   done_at = case when is_over then now() end,
                   lease_expires_at = null,
                   failure = 'lost contact with the agent'
               from expired
               where job.job_id = expired.job_id
               returning is_over
           )
           select count(*) filter (where not is_over) as "requeued!", count(*) filter (where is_over) as "given_up!"
           from changed"#,
        ATTEMPTS_MAX,
    )
    .fetch_one(pool)
    .await?;
    sqlx::query!(
        "update job set priority = priority + 1
         where status = 'queued'
           and extract(epoch from now() - created_at) >= $1::float8 * (1 + priority - case reason
               when 'pull-request' then 4 when 'request' then 3 when 'confirm' then 3 when 'push' then 2 when 'schedule' then 0 else 1 end)",
        PATIENCE.as_secs_f64(),
    )
    .execute(pool)
    .await?;
    Ok(swept)
}
