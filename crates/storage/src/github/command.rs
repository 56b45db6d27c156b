//! What people asked for on pull requests, for whoever queues jobs.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// A command that was accepted.
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

/// Stores a command, and says whether it is new.
///
/// # Errors
/// The database does not answer.
pub async fn add(
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
