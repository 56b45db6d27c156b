//! Comments on regressions.

use super::{check_text, commit, deletable};
use crate::access::Refusal;
use crate::error::{DomainError, Kind};
use chrono::Utc;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::regression::timeline::{self, Comment};
use serde::Deserialize;
use serde_json::json;
use sqlx::PgPool;
use utoipa::ToSchema;

/// The maximum length of a comment, in characters.
const TEXT_MAX: usize = 4_000;

/// A new comment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentRequest {
    /// The text. White space at its ends is removed.
    #[schema(min_length = 1, max_length = 4000)]
    pub text: String,
}

/// Adds a comment to a regression.
///
/// # Errors
/// The text is empty or too long.
pub async fn add(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    regression_id: i64,
    request: &CommentRequest,
) -> Result<Comment, DomainError> {
    let text = request.text.trim();
    check_text("text", text, &(1..=TEXT_MAX))?;
    let mut transaction = pool.begin().await?;
    let place = (project.project_id, regression_id);
    let comment = timeline::insert_comment(&mut transaction, place, &by.actor, text, Utc::now())
        .await?
        .ok_or_else(|| DomainError::unknown(Kind::Regression, regression_id))?;
    let details = json!({ "project": project.project, "comment_id": comment.comment_id });
    commit(transaction, by, Action::CommentCreate, ("regression", regression_id), details).await?;
    Ok(comment)
}

/// Deletes a comment.
///
/// # Errors
/// `of_others`, if another author wrote it.
pub async fn delete(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    (regression_id, comment_id): (i64, i64),
    of_others: Result<(), Refusal>,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let author = timeline::author(&mut transaction, (project.project_id, regression_id), comment_id).await?;
    let author = deletable(by, author, of_others, (Kind::Comment, comment_id))?;
    timeline::delete_comment(&mut transaction, comment_id).await?;
    let details = json!({ "project": project.project, "comment_id": comment_id, "created_by": author });
    Ok(commit(transaction, by, Action::CommentDelete, ("regression", regression_id), details).await?)
}
