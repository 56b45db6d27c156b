//! Requests jobs.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use strum::AsRefStr;

/// Why a commit is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// A push.
    Push,
    /// A schedule.
    Schedule,
    /// A user requested it.
    Request,
    /// A pull request, compared with its base.
    PullRequest,
    /// All commits in a regression's range.
    Backfill,
    /// Some of these commits, to halve the range.
    Bisect,
    /// Suspect commits are measured again, after an unclear result.
    Repeat,
    /// A commit with unexpected results is compared with its base.
    Confirm,
}

/// The reasons of jobs that only the search for a regression's cause needs.
const SEARCHING: [Reason; 3] = [Reason::Backfill, Reason::Bisect, Reason::Repeat];

/// The jobs to queue for a project.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Why.
    pub reason: Reason,
    /// The commits to measure, in this order.
    pub commit_shas: &'a [String],
    /// The base to compare each with, if any.
    pub base_sha: Option<&'a str>,
    /// Their branch, if any.
    pub branch: Option<&'a str>,
    /// Their pull request, and whether it comes from a fork.
    pub pull_request: Option<(i64, bool)>,
    /// The preset, if not from their settings.
    pub preset: Option<&'a str>,
    /// The regression whose cause is searched.
    pub regression_id: Option<i64>,
    /// The series whose case alone is measured, if not all.
    pub series_id: Option<i64>,
    /// The requester.
    pub requested_by: Option<&'a str>,
}

/// The machine to measure on.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// This machine.
    Machine(i64),
    /// Any machine with these labels.
    Any(&'a [String]),
}

impl Reason {
    /// Higher ones are claimed first: users wait for pull requests, not for schedules. `lease::sweep` has the same
    /// table.
    fn priority(self) -> i16 {
        match self {
            Self::PullRequest => 4,
            Self::Request | Self::Confirm => 3,
            Self::Push => 2,
            Self::Backfill | Self::Bisect | Self::Repeat => 1,
            Self::Schedule => 0,
        }
    }
}

impl<'a> Wanted<'a> {
    /// A request for commits without further options.
    pub fn commits(reason: Reason, commit_shas: &'a [String]) -> Self {
        Self {
            reason,
            commit_shas,
            base_sha: None,
            branch: None,
            pull_request: None,
            preset: None,
            regression_id: None,
            series_id: None,
            requested_by: None,
        }
    }
}

/// Requests jobs, except for commits that already have an open one. Returns the ids of the new jobs, in
/// order.
///
/// Projects take turns within a priority: a project's job comes after its own earlier ones, but not before
/// those that are being taken now (start-time fair queueing).
pub async fn request(
    connection: &mut PgConnection,
    project_id: i64,
    target: Target<'_>,
    wanted: &Wanted<'_>,
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<i64>> {
    let (machine_id, labels) = match target {
        Target::Machine(machine_id) => (Some(machine_id), &[][..]),
        Target::Any(labels) => (None, labels),
    };
    let mut job_ids = sqlx::query_scalar!(
        "insert into job (project_id, machine_id, labels, commit_sha, base_sha, branch, pull_request, is_fork, preset,
                          reason, regression_id, series_id, requested_by, priority, created_at, turn)
         select $1, $2, $3, wanted.sha, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
                wanted.nth + greatest(
                    (select coalesce(max(job.turn), -1) from job
                     where job.done_at is null and job.project_id = $1 and job.machine_id is not distinct from $2),
                    (select coalesce(min(job.turn), 0) - 1 from job
                     where job.status = 'queued' and job.machine_id is not distinct from $2)
                )
         from unnest($4::text[]) with ordinality as wanted (sha, nth)
         on conflict do nothing
         returning job_id",
        project_id,
        machine_id,
        labels,
        wanted.commit_shas,
        wanted.base_sha,
        wanted.branch,
        wanted.pull_request.map(|(number, _)| number),
        wanted.pull_request.is_some_and(|(_, is_fork)| is_fork),
        wanted.preset,
        wanted.reason.as_ref(),
        wanted.regression_id,
        wanted.series_id,
        wanted.requested_by,
        wanted.reason.priority(),
        now,
    )
    .fetch_all(connection)
    .await?;
    job_ids.sort_unstable();
    Ok(job_ids)
}

/// Whether GitHub, a run or a job shows that a pull request comes from a fork.
pub async fn is_fork(connection: &mut PgConnection, project_id: i64, number: i64) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select (
               exists (select from github_pull_request where project_id = $1 and number = $2 and is_fork)
               or exists (select from run where project_id = $1 and pull_request = $2 and quarantined)
               or exists (select from job where project_id = $1 and pull_request = $2 and is_fork)
           ) as "is_fork!""#,
        project_id,
        number,
    )
    .fetch_one(connection)
    .await
}

/// Lets the search for a regression's culprit use an equal paired job that another reason requested, if one is open or done.
/// It may measure more cases, and must be newer than the job `after`. False if there is none.
pub async fn adopt(
    connection: &mut PgConnection,
    project_id: i64,
    machine_id: i64,
    wanted: &Wanted<'_>,
    after: i64,
) -> sqlx::Result<bool> {
    let adopted = sqlx::query!(
        "update job set regression_id = $1
         where job_id = (
             select max(job_id) from job
             where project_id = $2 and machine_id = $3 and commit_sha = any($4) and base_sha = $5
               and preset is not distinct from $6 and job_id > $7 and regression_id is null
               and (series_id is null or series_id = $8)
               and status in ('queued', 'running', 'done')
         )",
        wanted.regression_id,
        project_id,
        machine_id,
        wanted.commit_shas,
        wanted.base_sha,
        wanted.preset,
        after,
        wanted.series_id,
    )
    .execute(connection)
    .await?;
    Ok(adopted.rows_affected() == 1)
}

/// The commits in a range of ordinals, the first excluded, that a machine has not measured; in order.
pub async fn unmeasured(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    (after_ordinal, until_ordinal): (i64, i64),
) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        "select sha from commit
         where project_id = $1 and ordinal > $3 and ordinal <= $4 and not ordinal_is_estimate
           and not exists (
               select from run
               where run.commit_id = commit.commit_id and run.machine_id = $2 and not run.work_tree_modified
                 and not run.quarantined and not run.superseded
           )
         order by ordinal, commit_id",
        project_id,
        machine_id,
        after_ordinal,
        until_ordinal,
    )
    .fetch_all(connection)
    .await
}

/// The commits among these ordinals that a machine measured fewer times than this; in order.
pub async fn undermeasured(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    ordinals: &[i64],
    run_count: i64,
) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        "select sha from commit
         where project_id = $1 and ordinal = any($3)
           and (select count(*) from run
                where run.commit_id = commit.commit_id and run.machine_id = $2 and not run.work_tree_modified
                 and not run.quarantined and not run.superseded) < $4
         order by ordinal, commit_id",
        project_id,
        machine_id,
        ordinals,
        run_count,
    )
    .fetch_all(connection)
    .await
}

/// Cancels queued jobs that search for the cause of a regression. Running jobs continue.
pub async fn give_up(
    connection: &mut PgConnection,
    regression_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update job set status = 'cancelled', done_at = $2, failure = 'the search for the regression''s cause has ended'
         where regression_id = $1 and status = 'queued' and reason = any($3)",
        regression_id,
        now,
        &SEARCHING.map(|reason| reason.as_ref().to_owned()),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Cancels an open job. False if it is not open.
pub async fn cancel(connection: &mut PgConnection, job_id: i64, now: DateTime<Utc>) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "update job set status = 'cancelled', done_at = $2, lease_expires_at = null
         where job_id = $1 and done_at is null",
        job_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Cancels the open jobs of a pull request.
pub async fn cancel_pull_request(
    connection: &mut PgConnection,
    project_id: i64,
    number: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update job set status = 'cancelled', done_at = $3, lease_expires_at = null,
                        failure = 'cancelled in a comment on the pull request'
         where project_id = $1 and pull_request = $2 and done_at is null",
        project_id,
        number,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
