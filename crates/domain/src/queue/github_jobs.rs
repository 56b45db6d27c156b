//! Turns GitHub deliveries into jobs. Pushes to a default branch are measured on every machine of the project; pull
//! requests only after a command for that commit by a user with write access.

use super::request_on;
use super::schedule::FORGOTTEN_AFTER;
use chrono::{TimeDelta, Utc};
use roundtrip_storage as db;
use roundtrip_storage::github::queue::{self, Command};
use roundtrip_storage::job::request::{self, Reason, Wanted};
use sqlx::{PgConnection, PgPool};

/// Changes within this time are written together.
pub const DEBOUNCE: TimeDelta = TimeDelta::seconds(30);
/// The interval of checks on pull requests that wait for a machine.
const LOOK_INTERVAL: TimeDelta = TimeDelta::minutes(10);

/// Handles all pending pushes and commands. Returns the number of new jobs.
pub async fn handle_pending(pool: &PgPool) -> sqlx::Result<u64> {
    let mut job_count = 0;
    while let Some(jobs) = handle_push(pool).await? {
        job_count += jobs;
    }
    while let Some(jobs) = handle_command(pool).await? {
        job_count += jobs;
    }
    let now = Utc::now();
    queue::cancel_outdated(pool, now).await?;
    queue::touch_changed(pool, now + DEBOUNCE, now - LOOK_INTERVAL).await?;
    Ok(job_count)
}

/// Handles one push; none if none is pending.
async fn handle_push(pool: &PgPool) -> sqlx::Result<Option<u64>> {
    let mut transaction = pool.begin().await?;
    let Some(push) = queue::take_push(&mut transaction).await? else { return Ok(None) };
    let commits = [push.sha.clone()];
    let wanted = Wanted {
        branch: Some(&push.default_branch),
        requested_by: Some("github"),
        ..Wanted::commits(Reason::Push, &commits)
    };
    let machine_ids = machines(&mut transaction, push.project_id, &[]).await?;
    let job_count = request_on(&mut transaction, push.project_id, machine_ids, &wanted).await?;
    queue::push_done(&mut transaction, &push).await?;
    transaction.commit().await?;
    Ok(Some(job_count))
}

/// Handles one command; none if none is pending.
async fn handle_command(pool: &PgPool) -> sqlx::Result<Option<u64>> {
    let mut transaction = pool.begin().await?;
    let Some(command) = queue::take_command(&mut transaction).await? else { return Ok(None) };
    let now = Utc::now();
    let job_count = match command.kind.as_str() {
        "queue" | "retry" => queue_approved(&mut transaction, &command).await?,
        "cancel" => {
            request::cancel_pull_request(&mut transaction, command.project_id, command.number, now).await?;
            0
        }
        // Used when the comment is written.
        _ => 0,
    };
    queue::command_done(&mut transaction, command.github_command_id, now).await?;
    transaction.commit().await?;
    Ok(Some(job_count))
}

/// Requests jobs for an approved commit of a pull request, unless it is no longer the head.
async fn queue_approved(connection: &mut PgConnection, command: &Command) -> sqlx::Result<u64> {
    let is_meant = command.is_open
        && command.asked_sha == command.head_sha
        && command.approved_sha.as_ref() == Some(&command.head_sha);
    if !is_meant {
        return Ok(0);
    }
    let commits = [command.head_sha.clone()];
    let by = format!("github:{}", command.requested_by);
    let wanted = Wanted {
        base_sha: Some(&command.base_sha),
        pull_request: Some((command.number, command.is_fork)),
        preset: command.preset.as_deref(),
        requested_by: Some(&by),
        ..Wanted::commits(Reason::PullRequest, &commits)
    };
    let machine_ids = machines(connection, command.project_id, &command.machines).await?;
    request_on(connection, command.project_id, machine_ids, &wanted).await
}

/// The machines that work for a project, or the named ones among them.
pub async fn machines(
    connection: &mut PgConnection,
    project_id: i64,
    named: &[String],
) -> sqlx::Result<Vec<i64>> {
    let able = db::agent::machines_with(connection, project_id, &[], FORGOTTEN_AFTER).await?;
    if named.is_empty() { Ok(able) } else { db::machine::keys(connection, named, &able).await }
}
