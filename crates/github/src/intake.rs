//! What is noted of what GitHub told: nothing is measured or written because of an event, but because of what these functions
//! leave in the tables, which whoever queues jobs and [`super::reconcile`] read.

use crate::commands::Command;
use crate::repository::PullRequest;
use chrono::{DateTime, Utc};
use roundtrip_domain::queue::github_jobs::DEBOUNCE;
use roundtrip_storage::github::command::{self, Accepted};
use roundtrip_storage::github::installation::{self, Repository};
use roundtrip_storage::github::pull_request::{self, Read, Row};
use sqlx::PgPool;

/// Where a command stands.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The place, the same however often it is told.
    pub source: &'a str,
    /// Who asks.
    pub by: &'a str,
    /// When.
    pub at: DateTime<Utc>,
}

/// Notes how a pull request is.
///
/// # Errors
/// The database does not answer.
pub async fn note_pull_request(
    pool: &PgPool,
    repository: &Repository,
    project_id: i64,
    read: &PullRequest,
    head_pushed_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let row = Read {
        number: read.number,
        is_open: read.state == "open",
        author: read.author(),
        head_sha: &read.head.sha,
        head_pushed_at,
        base_sha: &read.base.sha,
        base_branch: &read.base.name,
        is_fork: read.is_fork(),
    };
    let mut connection = pool.acquire().await?;
    pull_request::store(&mut connection, project_id, repository.github_repository_id, &row, now + DEBOUNCE)
        .await
}

/// Notes the newest commit of the default branch.
///
/// # Errors
/// The database does not answer.
pub async fn note_push(
    pool: &PgPool,
    repository: &Repository,
    sha: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let mut transaction = pool.begin().await?;
    installation::move_default_branch(&mut transaction, repository.github_repository_id, sha, now).await?;
    transaction.commit().await
}

/// Notes what somebody with write access asked for, of the commit that they saw. To queue it is to approve it.
///
/// # Errors
/// The database does not answer.
pub async fn note_command(
    pool: &PgPool,
    pull_request: &Row,
    asked: &Asked<'_>,
    asked_for: &Command,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let (preset, machines, reason) = match asked_for {
        Command::Queue { preset, machines } => (preset.as_deref(), machines.as_slice(), None),
        Command::Retry { machines } => (None, machines.as_slice(), None),
        Command::Ack { reason } => (None, [].as_slice(), Some(reason.as_str())),
        Command::Cancel => (None, [].as_slice(), None),
    };
    let accepted = Accepted {
        source: asked.source,
        kind: asked_for.word(),
        preset,
        machines,
        reason,
        head_sha: &pull_request.head_sha,
        requested_by: asked.by,
        requested_at: asked.at,
    };
    let id = pull_request.github_pull_request_id;
    let mut transaction = pool.begin().await?;
    let is_new = command::add(&mut transaction, id, &accepted).await?;
    if is_new && matches!(asked_for, Command::Queue { .. }) {
        pull_request::approve(&mut transaction, id, &pull_request.head_sha, asked.by, now).await?;
    }
    transaction.commit().await
}
