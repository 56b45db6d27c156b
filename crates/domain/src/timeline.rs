//! Comments on a regression and changes of its triage, in one list.

use chrono::{DateTime, Utc};
use roundtrip_storage::regression::timeline::{self, Comment, LoggedChange};
use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;
use utoipa::ToSchema;

/// The maximum number of comments, and of changes, in a timeline.
const ENTRIES_MAX: i64 = 500;
/// The triage fields whose values are shown. Of notes and issue links, only that they changed: their earlier texts may have
/// been removed on purpose.
const SHOWN: [&str; 3] = ["state", "assignee", "muted_until_at"];

/// A comment, or a change of triage.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimelineEntry {
    /// The time.
    pub happened_at: DateTime<Utc>,
    /// The author or actor: `account:NAME`, `token:NUMBER` or `command-line`.
    #[schema(example = "account:ada")]
    pub actor: String,
    /// The comment; null for a change of triage.
    #[schema(required)]
    pub comment: Option<Comment>,
    /// The changed fields; none for a comment.
    pub changes: Vec<FieldChange>,
}

/// A changed field of the triage.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldChange {
    /// `state`, `assignee`, `muted_until`, `note` or `bug_url`.
    pub field: String,
    /// The value before; null for none, and for notes and issue links.
    #[schema(required)]
    pub from: Option<String>,
    /// The value after, likewise.
    #[schema(required)]
    pub to: Option<String>,
}

/// The timeline of a regression, oldest first.
pub async fn of_regression(pool: &PgPool, regression_id: i64) -> sqlx::Result<Vec<TimelineEntry>> {
    let comments = timeline::comments(pool, regression_id, ENTRIES_MAX).await?;
    let changes = timeline::changes(pool, regression_id, ENTRIES_MAX).await?;
    let comments = comments.into_iter().map(|comment| TimelineEntry {
        happened_at: comment.created_at,
        actor: comment.created_by.clone(),
        comment: Some(comment),
        changes: Vec::new(),
    });
    let changes = changes.into_iter().map(|LoggedChange { actor, happened_at, details }| TimelineEntry {
        happened_at,
        actor,
        comment: None,
        changes: changed_fields(&details["from"], &details["to"]),
    });
    let mut entries: Vec<_> = comments.chain(changes).collect();
    entries.sort_by_key(|entry| entry.happened_at);
    Ok(entries)
}

fn changed_fields(from: &Value, to: &Value) -> Vec<FieldChange> {
    let fields = to.as_object().into_iter().flatten();
    let changed = fields.filter(|(name, value)| from[name.as_str()] != **value);
    changed
        .map(|(name, value)| {
            let shown = |value: &Value| {
                SHOWN.contains(&name.as_str()).then(|| value.as_str().map(str::to_owned)).flatten()
            };
            FieldChange {
                field: name.trim_end_matches("_at").to_owned(),
                from: shown(&from[name.as_str()]),
                to: shown(value),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_changed_fields_and_hides_texts() {
        let from = json!({ "state": "new", "assignee": "ada", "note": "old", "bug_url": null });
        let to = json!({ "state": "acknowledged", "assignee": "ada", "note": "new", "bug_url": null });
        let change = |field: &str, from: Option<&str>, to: Option<&str>| FieldChange {
            field: field.to_owned(),
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
        };
        assert_eq!(
            changed_fields(&from, &to),
            [change("note", None, None), change("state", Some("new"), Some("acknowledged"))]
        );
        let muted = json!({ "muted_until_at": "2100-01-01T00:00:00Z" });
        let expected = change("muted_until", None, Some("2100-01-01T00:00:00Z"));
        assert_eq!(changed_fields(&json!({ "muted_until_at": null }), &muted), [expected]);
    }
}
