//! Triage of regressions.

use super::{commit, present};
use crate::error::{DomainError, Kind};
use chrono::{DateTime, Utc};
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::regression::{self, State, Triage};
use roundtrip_storage::{account, job};
use roundtrip_wire::Slug;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgPool;
use utoipa::ToSchema;

/// A change of triage. Absent fields stay unchanged, null removes a value.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegressionChange {
    /// The triage state.
    pub state: Option<State>,
    /// The assignee's account name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub assignee: Option<Option<Slug>>,
    /// The note.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 4000)]
    pub note: Option<Option<String>>,
    /// The issue link: an address that begins with https:// or http://.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 2000)]
    pub bug_url: Option<Option<String>>,
    /// Until when its notifications are muted.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    pub muted_until: Option<Option<DateTime<Utc>>>,
}

/// Changes the triage of a regression.
pub async fn triage(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    regression_id: i64,
    change: RegressionChange,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let before = regression::lock_triage(&mut transaction, project.project_id, regression_id)
        .await?
        .ok_or_else(|| DomainError::unknown(Kind::Regression, regression_id))?;
    let after = Triage {
        state: change.state.unwrap_or(before.state),
        assignee: match change.assignee {
            Some(name) => name.map(|name| name.to_string()),
            None => before.assignee.clone(),
        },
        note: change.note.unwrap_or_else(|| before.note.clone()),
        bug_url: change.bug_url.unwrap_or_else(|| before.bug_url.clone()),
        muted_until_at: change.muted_until.unwrap_or(before.muted_until_at),
    };
    if after == before {
        return Ok(());
    }
    let assignee = match &after.assignee {
        None => None,
        Some(name) => Some(account::key(&mut transaction, name).await?.ok_or_else(|| {
            DomainError::parameter(
                "assignee",
                format!("account not found: {name} (expected an account's name, or null)"),
            )
        })?),
    };
    regression::triage(&mut transaction, regression_id, &after, assignee, Utc::now()).await?;
    if !matches!(change.state, None | Some(State::New | State::Acknowledged)) {
        // The search for the culprit ends here.
        job::request::give_up(&mut transaction, regression_id, Utc::now()).await?;
    }
    let details = json!({ "project": project.project, "from": before, "to": after });
    Ok(commit(transaction, by, Action::RegressionChange, ("regression", regression_id), details).await?)
}
