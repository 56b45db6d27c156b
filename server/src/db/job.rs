//! What machines are asked to measure.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// Why a commit is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// All commits of a regression's range are measured.
    Backfill,
    /// Some of them, which halve it.
    Bisect,
    /// Those that may have made it are measured again: what was measured of them does not tell.
    Repeat,
}

/// A commit that a machine is asked to measure.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table job, described there")]
pub struct Row {
    pub job_id: i64,
    pub machine: String,
    pub commit_sha: String,
    pub commit_ordinal: i64,
    pub reason: String,
    pub regression_id: Option<i64>,
    pub created_at: DateTime<Utc>,
    pub done_at: Option<DateTime<Utc>>,
    pub done_by_run_id: Option<Uuid>,
}

/// Which jobs are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Those that are waited for, or those that are done.
    pub done: Option<bool>,
    /// Those of one regression.
    pub regression_id: Option<i64>,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::Backfill => "backfill",
            Self::Bisect => "bisect",
            Self::Repeat => "repeat",
        }
    }
}

/// The jobs of a project before one, the newest first.
///
/// # Errors
/// The database does not answer.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: Filter,
    before: i64,
    limit: i64,
) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as!(
        Row,
        "select job.job_id, machine.slug as machine, commit.sha as commit_sha, commit.ordinal as commit_ordinal,
                job.reason, job.regression_id, job.created_at, job.done_at, job.done_by_run_id
         from job
         join machine on machine.machine_id = job.machine_id
         join commit on commit.commit_id = job.commit_id
         where job.project_id = $1 and job.job_id < $2
           and ($3::boolean is null or (job.done_at is not null) = $3)
           and ($4::bigint is null or job.regression_id = $4)
         order by job.job_id desc
         limit $5",
        project_id,
        before,
        filter.done,
        filter.regression_id,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The commits after one place and up to another that a machine has not measured, in their order.
///
/// # Errors
/// The database does not answer.
pub async fn unmeasured(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    (after_ordinal, until_ordinal): (i64, i64),
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select commit_id from commit
         where project_id = $1 and ordinal > $3 and ordinal <= $4 and not ordinal_is_estimate
           and not exists (
               select from run
               where run.commit_id = commit.commit_id and run.machine_id = $2 and not run.work_tree_modified
                 and not run.quarantined
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
///
/// # Errors
/// The database does not answer.
pub async fn seldom_measured(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    ordinals: &[i64],
    run_count: i64,
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select commit_id from commit
         where project_id = $1 and ordinal = any($3)
           and (select count(*) from run
                where run.commit_id = commit.commit_id and run.machine_id = $2 and not run.work_tree_modified
                  and not run.quarantined) < $4
         order by ordinal, commit_id",
        project_id,
        machine_id,
        ordinals,
        run_count,
    )
    .fetch_all(connection)
    .await
}

/// Asks a machine for commits, except for those that are waited for.
///
/// # Errors
/// The database does not answer.
pub async fn request(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    commit_ids: &[i64],
    reason: Reason,
    regression_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into job (project_id, machine_id, commit_id, reason, regression_id, created_at)
         select $1, $2, wanted.commit_id, $4, $5, $6 from unnest($3::bigint[]) with ordinality as wanted (commit_id, nth)
         order by wanted.nth
         on conflict do nothing",
        project_id,
        machine_id,
        commit_ids,
        reason.name(),
        regression_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Notes which jobs of a machine some runs of its have done.
///
/// # Errors
/// The database does not answer.
pub async fn finish(
    connection: &mut PgConnection,
    machine_id: i64,
    run_ids: &[Uuid],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update job set done_at = $3, done_by_run_id = run.run_id
         from run
         where run.run_id = any($2) and job.machine_id = $1 and job.commit_id = run.commit_id and job.done_at is null
           and not run.work_tree_modified and not run.quarantined",
        machine_id,
        run_ids,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives up what is waited for of a regression.
///
/// # Errors
/// The database does not answer.
pub async fn give_up(connection: &mut PgConnection, regression_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from job where regression_id = $1 and done_at is null", regression_id)
        .execute(connection)
        .await?;
    Ok(())
}
