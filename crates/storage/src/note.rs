//! Notes of users on commits.

use crate::regression::CommitPlace;
use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// A note on a commit.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Note {
    /// Its number.
    pub note_id: i64,
    /// The commit.
    pub commit: CommitPlace,
    /// Plain text.
    pub text: String,
    /// The author: `account:NAME`, or `token:NUMBER` for a program.
    #[schema(example = "account:ada")]
    pub created_by: String,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

/// The notes to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// On commits from this ordinal,
    pub from: Option<i64>,
    /// to this ordinal.
    pub to: Option<i64>,
    /// On this commit, by its full object name.
    pub commit_sha: Option<String>,
}

/// The notes of a project before one, newest first.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: &Filter,
    before: i64,
    limit: i64,
) -> sqlx::Result<Vec<Note>> {
    sqlx::query_as!(
        Note,
        r#"select commit_note_id as note_id, commit_note.text, commit_note.created_by, commit_note.created_at,
                  (commit.sha, commit.ordinal, commit.subject, commit.author) as "commit!: CommitPlace"
           from commit_note
           join commit on commit.commit_id = commit_note.commit_id
           where commit_note.project_id = $1 and commit_note_id < $2
             and ($3::bigint is null or commit.ordinal >= $3) and ($4::bigint is null or commit.ordinal <= $4)
             and ($5::text is null or commit.sha = $5)
           order by commit_note_id desc
           limit $6"#,
        project_id,
        before,
        filter.from,
        filter.to,
        filter.commit_sha,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// Adds a note to a commit, and returns its number.
pub async fn create(
    connection: &mut PgConnection,
    (project_id, commit_id): (i64, i64),
    text: &str,
    created_by: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        "insert into commit_note (project_id, commit_id, text, created_by, created_at)
         values ($1, $2, $3, $4, $5)
         returning commit_note_id",
        project_id,
        commit_id,
        text,
        created_by,
        now,
    )
    .fetch_one(connection)
    .await
}

/// The author of a project's note, which stays locked until the transaction ends.
pub async fn lock(
    connection: &mut PgConnection,
    project_id: i64,
    note_id: i64,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "select created_by from commit_note where project_id = $1 and commit_note_id = $2 for update",
        project_id,
        note_id,
    )
    .fetch_optional(connection)
    .await
}

/// Deletes a note.
pub async fn delete(connection: &mut PgConnection, note_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from commit_note where commit_note_id = $1", note_id).execute(connection).await?;
    Ok(())
}
