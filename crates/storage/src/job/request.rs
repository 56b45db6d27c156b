//! Asking for jobs.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use strum::AsRefStr;

/// Why a commit is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// It was pushed.
    Push,
    /// It is the newest one at a time that was set.
    Schedule,
    /// Somebody asked for it.
    Request,
    /// Somebody waits for it: it is proposed, and compared with what it would change.
    PullRequest,
    /// All commits of a regression's range are measured.
    Backfill,
    /// Some of them, which halve it.
    Bisect,
    /// Those that may have made it are measured again: what was measured of them does not tell.
    Repeat,
}

/// What is to be measured of a project.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Why.
    pub reason: Reason,
    /// These commits, in the order in which they are to be measured.
    pub commit_shas: &'a [String],
    /// What each is compared with, if it is.
    pub base_sha: Option<&'a str>,
    /// The branch that they are of, if they are of one.
    pub branch: Option<&'a str>,
    /// The pull request that they are of, and whether it comes from another repository.
    pub pull_request: Option<(i64, bool)>,
    /// What is measured of them, if not what their settings say.
    pub preset: Option<&'a str>,
    /// The regression whose culprit is looked for.
    pub regression_id: Option<i64>,
    /// Who asked for it.
    pub requested_by: Option<&'a str>,
}

/// Where it is to be measured.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// On this machine.
    Machine(i64),
    /// On any one that has these labels.
    Any(&'a [String]),
}

impl Reason {
    /// The higher is taken first: a person waits for a pull request, nobody for the night. `lease::sweep` has the same table.
    fn priority(self) -> i16 {
        match self {
            Self::PullRequest => 4,
            Self::Request => 3,
            Self::Push => 2,
            Self::Backfill | Self::Bisect | Self::Repeat => 1,
            Self::Schedule => 0,
        }
    }
}

impl<'a> Wanted<'a> {
    /// Commits by themselves.
    pub fn commits(reason: Reason, commit_shas: &'a [String]) -> Self {
        Self {
            reason,
            commit_shas,
            base_sha: None,
            branch: None,
            pull_request: None,
            preset: None,
            regression_id: None,
            requested_by: None,
        }
    }
}

/// Asks for commits, except for those that are open already. Returns the numbers of the new jobs, in their order.
///
/// Projects take turns within a priority: a project's job comes after its own of before, and not before those that are
/// being taken now (start-time fair queueing).
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
                          reason, regression_id, requested_by, priority, created_at, turn)
         select $1, $2, $3, wanted.sha, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
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
        wanted.requested_by,
        wanted.reason.priority(),
        now,
    )
    .fetch_all(connection)
    .await?;
    job_ids.sort_unstable();
    Ok(job_ids)
}

/// The commits after one place and up to another that a machine has not measured, in their order.
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

/// Those of some commits, given by their places, that a machine measured fewer than so many times; in their order.
pub async fn seldom_measured(
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

/// Gives up what waits for a regression; what is being measured is finished.
pub async fn give_up(
    connection: &mut PgConnection,
    regression_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update job set status = 'cancelled', done_at = $2, failure = 'its regression is not looked for any more'
         where regression_id = $1 and status = 'queued'",
        regression_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Cancels a job that is open. False when it is not.
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

/// Cancels what is open of a pull request.
pub async fn cancel_pull_request(
    connection: &mut PgConnection,
    project_id: i64,
    number: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update job set status = 'cancelled', done_at = $3, lease_expires_at = null,
                        failure = 'somebody cancelled it on the pull request'
         where project_id = $1 and pull_request = $2 and done_at is null",
        project_id,
        number,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
