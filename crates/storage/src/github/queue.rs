//! From GitHub's events to jobs: pushes and commands without jobs yet, and pull requests whose jobs have
//! changed.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// A default branch that has moved since its last jobs.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table github_repository, described there")]
pub struct Push {
    pub github_repository_id: i64,
    pub project_id: i64,
    pub default_branch: String,
    pub sha: String,
}

/// An accepted command that waits.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "columns, described in migrations/")]
pub struct Command {
    pub github_command_id: i64,
    pub project_id: i64,
    pub number: i64,
    pub kind: String,
    pub preset: Option<String>,
    pub machines: Vec<String>,
    pub requested_by: String,
    /// The commit of the command.
    pub asked_sha: String,
    /// The current head.
    pub head_sha: String,
    pub base_sha: String,
    /// The approved commit.
    pub approved_sha: Option<String>,
    pub is_fork: bool,
    pub is_open: bool,
}

/// A waiting push, locked until the transaction ends. Skips those locked by other servers.
pub async fn take_push(connection: &mut PgConnection) -> sqlx::Result<Option<Push>> {
    sqlx::query_as!(
        Push,
        r#"select github_repository_id, project_id as "project_id!", default_branch, default_branch_sha as "sha!"
           from github_repository
           where project_id is not null and removed_at is null
             and default_branch_sha is not null and default_branch_sha is distinct from queued_sha
           order by github_repository_id
           limit 1
           for update skip locked"#,
    )
    .fetch_optional(connection)
    .await
}

/// Records that jobs for a push were queued.
pub async fn push_done(connection: &mut PgConnection, push: &Push) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_repository set queued_sha = $2 where github_repository_id = $1",
        push.github_repository_id,
        push.sha,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The oldest waiting command, locked until the transaction ends. Skips those locked by other servers.
pub async fn take_command(connection: &mut PgConnection) -> sqlx::Result<Option<Command>> {
    sqlx::query_as!(
        Command,
        r#"select command.github_command_id, pull_request.project_id, pull_request.number, command.kind,
                  command.preset, command.machines, command.requested_by, command.head_sha as asked_sha,
                  pull_request.head_sha, pull_request.base_sha, pull_request.approved_sha, pull_request.is_fork,
                  pull_request.state = 'open' as "is_open!"
           from github_command as command
           join github_pull_request as pull_request
               on pull_request.github_pull_request_id = command.github_pull_request_id
           where command.done_at is null
           order by command.github_command_id
           limit 1
           for update of command skip locked"#,
    )
    .fetch_optional(connection)
    .await
}

/// Records that a command was handled.
pub async fn command_done(
    connection: &mut PgConnection,
    github_command_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_command set done_at = $2 where github_command_id = $1",
        github_command_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The latest acknowledgement of a pull request's commit: user and reason.
pub async fn acknowledgement(
    pool: &PgPool,
    github_pull_request_id: i64,
    head_sha: &str,
) -> sqlx::Result<Option<(String, String)>> {
    let found = sqlx::query!(
        "select requested_by, coalesce(reason, '') as \"reason!\" from github_command
         where github_pull_request_id = $1 and head_sha = $2 and kind = 'ack'
         order by github_command_id desc
         limit 1",
        github_pull_request_id,
        head_sha,
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(|found| (found.requested_by, found.reason)))
}

/// Cancels queued jobs of pull requests that are closed or have a new head. Running jobs continue.
pub async fn cancel_outdated(pool: &PgPool, now: DateTime<Utc>) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "update job
         set status = 'cancelled', done_at = $1, failure = 'the pull request was closed or has new commits'
         from github_pull_request as pull_request
         where job.status = 'queued' and job.reason = 'pull-request'
           and pull_request.project_id = job.project_id and pull_request.number = job.pull_request
           and (pull_request.state <> 'open' or pull_request.head_sha <> job.commit_sha)",
        now,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

/// Schedules the update of pull requests whose jobs have changed, and of those that still wait for a job and
/// were last checked before a time, because their machine may be offline.
pub async fn touch_changed(
    pool: &PgPool,
    due_at: DateTime<Utc>,
    looked_before: DateTime<Utc>,
) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "update github_pull_request as pull_request
         set due_at = $1
         where pull_request.due_at is null
           and (exists (
                    select from job
                    where job.project_id = pull_request.project_id and job.pull_request = pull_request.number
                      and job.commit_sha = pull_request.head_sha
                      and (pull_request.said_at is null
                           or greatest(job.created_at, job.started_at, job.done_at) > pull_request.said_at
                           or (job.done_at is null and pull_request.said_at < $2))
                ) or exists (
                    select from github_command as command
                    where command.github_pull_request_id = pull_request.github_pull_request_id
                      and command.kind = 'ack' and command.done_at > coalesce(pull_request.said_at, '-infinity')
                ))",
        due_at,
        looked_before,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

/// An accepted command.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table github_command, described there")]
pub struct Accepted<'a> {
    pub source: &'a str,
    pub kind: &'a str,
    pub preset: Option<&'a str>,
    pub machines: &'a [String],
    pub reason: Option<&'a str>,
    pub head_sha: &'a str,
    pub requested_by: &'a str,
    pub requested_at: DateTime<Utc>,
}

/// Stores a command and returns whether it is new.
pub async fn add_command(
    connection: &mut PgConnection,
    pull_request: i64,
    command: &Accepted<'_>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "insert into github_command
             (github_pull_request_id, source, kind, preset, machines, reason, head_sha, requested_by, requested_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (source) do nothing",
        pull_request,
        command.source,
        command.kind,
        command.preset,
        command.machines,
        command.reason,
        command.head_sha,
        command.requested_by,
        command.requested_at,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}
