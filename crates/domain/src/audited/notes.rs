//! Notes on commits.

use super::{check_text, commit, deletable};
use crate::access::Refusal;
use crate::error::{DomainError, Kind};
use chrono::Utc;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::note::{self, Note};
use roundtrip_storage::regression::CommitPlace;
use serde_json::json;
use sqlx::PgPool;

/// The maximum length of a note, in characters.
const TEXT_MAX: usize = 2_000;

/// Adds a note to a commit of a project.
///
/// # Errors
/// The text is empty or too long.
pub async fn create_note(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    (commit_id, on): (i64, CommitSummary),
    text: &str,
) -> Result<Note, DomainError> {
    let text = text.trim();
    check_text("text", text, &(1..=TEXT_MAX))?;
    let now = Utc::now();
    let mut transaction = pool.begin().await?;
    let place = (project.project_id, commit_id);
    let note_id = note::create(&mut transaction, place, text, &by.actor, now).await?;
    let details = json!({"project": project.project, "commit": on.sha});
    commit(transaction, by, Action::NoteCreate, ("note", note_id), details).await?;
    let CommitSummary { sha, ordinal, subject, author, .. } = on;
    Ok(Note {
        note_id,
        commit: CommitPlace { sha, ordinal, subject, author },
        text: text.to_owned(),
        created_by: by.actor.clone(),
        created_at: now,
    })
}

/// Deletes a note of a project.
///
/// # Errors
/// `of_others`, if another author wrote it.
pub async fn delete_note(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    note_id: i64,
    of_others: Result<(), Refusal>,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let author = note::lock(&mut transaction, project.project_id, note_id).await?;
    let author = deletable(by, author, of_others, (Kind::Note, note_id))?;
    note::delete(&mut transaction, note_id).await?;
    let details = json!({"project": project.project, "created_by": author});
    Ok(commit(transaction, by, Action::NoteDelete, ("note", note_id), details).await?)
}
