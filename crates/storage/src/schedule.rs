//! Schedules for measuring the newest commit of a project.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// A recurring time at which the newest commit is measured.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Schedule {
    /// Its number.
    pub schedule_id: i64,
    /// The time in UTC as a cron expression: minute, hour, day of the month, month, day of the week.
    #[schema(example = "30 2 * * *")]
    pub cron: String,
    /// The preset; null to use the commit's `roundtrip.toml`.
    #[schema(required)]
    pub preset: Option<String>,
    /// The labels that a machine needs.
    pub labels: Vec<String>,
    /// The creator.
    pub created_by: String,
    /// When it is due next.
    pub next_at: DateTime<Utc>,
    /// Its project.
    #[serde(skip)]
    pub project_id: i64,
}

/// A new schedule.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table schedule, described there")]
pub struct New<'a> {
    pub cron: &'a str,
    pub preset: Option<&'a str>,
    pub labels: &'a [String],
    pub created_by: &'a str,
    pub next_at: DateTime<Utc>,
}

/// The schedules of a project, in order of creation.
pub async fn list(pool: &PgPool, project_id: i64) -> sqlx::Result<Vec<Schedule>> {
    sqlx::query_as!(
        Schedule,
        "select schedule_id, project_id, cron, preset, labels, created_by, next_at from schedule
         where project_id = $1
         order by schedule_id",
        project_id,
    )
    .fetch_all(pool)
    .await
}

/// Creates a schedule.
pub async fn create(connection: &mut PgConnection, project_id: i64, new: &New<'_>) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        "insert into schedule (project_id, cron, preset, labels, created_by, next_at)
         values ($1, $2, $3, $4, $5, $6)
         returning schedule_id",
        project_id,
        new.cron,
        new.preset,
        new.labels,
        new.created_by,
        new.next_at,
    )
    .fetch_one(connection)
    .await
}

/// Deletes a project's schedule. False if it does not exist.
pub async fn delete(connection: &mut PgConnection, project_id: i64, schedule_id: i64) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "delete from schedule where project_id = $1 and schedule_id = $2",
        project_id,
        schedule_id,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A due schedule, locked until the transaction ends. Skips those locked by other servers.
pub async fn take_due(connection: &mut PgConnection, now: DateTime<Utc>) -> sqlx::Result<Option<Schedule>> {
    sqlx::query_as!(
        Schedule,
        "select schedule_id, project_id, cron, preset, labels, created_by, next_at from schedule
         where next_at <= $1
         order by next_at
         limit 1
         for update skip locked",
        now,
    )
    .fetch_optional(connection)
    .await
}

/// Sets the next time of a schedule.
pub async fn set_next(
    connection: &mut PgConnection,
    schedule_id: i64,
    next_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!("update schedule set next_at = $2 where schedule_id = $1", schedule_id, next_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// The newest known commit of a project's main line: measured, or queued by a push.
pub async fn newest_commit(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        r#"select coalesce(
               (select job.commit_sha from job
                where job.project_id = $1 and job.reason = 'push'
                  and not exists (select from commit where commit.project_id = $1 and commit.sha = job.commit_sha)
                order by job.job_id desc limit 1),
               (select commit.sha from run
                join commit on commit.commit_id = run.commit_id
                where run.project_id = $1 and run.pull_request is null and not run.superseded
                order by commit.ordinal desc limit 1)
           ) as "sha""#,
        project_id,
    )
    .fetch_one(connection)
    .await
}
