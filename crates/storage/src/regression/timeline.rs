//! The timeline of a regression: comments, and changes of triage from the audit log.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// A comment on a regression.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Comment {
    /// Its number.
    pub comment_id: i64,
    /// The author: `account:NAME` or `token:NUMBER`.
    #[schema(example = "account:ada")]
    pub created_by: String,
    /// The text.
    pub text: String,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
}

/// A change of triage, as logged.
#[derive(Debug)]
pub struct LoggedChange {
    /// The actor, as in the audit log.
    pub actor: String,
    /// The time.
    pub happened_at: DateTime<Utc>,
    /// The values before and after it.
    pub details: Value,
}

/// The newest comments on a regression, newest first.
pub async fn comments(pool: &PgPool, regression_id: i64, limit: i64) -> sqlx::Result<Vec<Comment>> {
    sqlx::query_as!(
        Comment,
        "select regression_comment_id as comment_id, created_by, contents as text, created_at
         from regression_comment
         where regression_id = $1
         order by regression_comment_id desc
         limit $2",
        regression_id,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The newest changes of triage of a regression, newest first.
pub async fn changes(pool: &PgPool, regression_id: i64, limit: i64) -> sqlx::Result<Vec<LoggedChange>> {
    sqlx::query_as!(
        LoggedChange,
        "select actor, happened_at, details
         from audit_event
         where action = 'regression.change' and subject = $1
         order by audit_event_id desc
         limit $2",
        format!("regression:{regression_id}"),
        limit,
    )
    .fetch_all(pool)
    .await
}

/// Adds a comment. `None` if the project has no such regression.
pub async fn insert_comment(
    connection: &mut PgConnection,
    (project_id, regression_id): (i64, i64),
    created_by: &str,
    text: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<Comment>> {
    sqlx::query_as!(
        Comment,
        "insert into regression_comment (regression_id, created_by, contents, created_at)
         select regression_id, $3, $4, $5 from regression where project_id = $1 and regression_id = $2
         returning regression_comment_id as comment_id, created_by, contents as text, created_at",
        project_id,
        regression_id,
        created_by,
        text,
        now,
    )
    .fetch_optional(connection)
    .await
}

/// The author of a comment; `None` if the regression has no such comment.
pub async fn author(
    connection: &mut PgConnection,
    (project_id, regression_id): (i64, i64),
    comment_id: i64,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "select created_by
         from regression_comment
         join regression on regression.regression_id = regression_comment.regression_id
         where regression.project_id = $1 and regression.regression_id = $2 and regression_comment_id = $3
         for update of regression_comment",
        project_id,
        regression_id,
        comment_id,
    )
    .fetch_optional(connection)
    .await
}

/// Deletes a comment.
pub async fn delete_comment(connection: &mut PgConnection, comment_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from regression_comment where regression_comment_id = $1", comment_id)
        .execute(connection)
        .await?;
    Ok(())
}
