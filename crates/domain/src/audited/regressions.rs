//! What people say of regressions.

use super::record;
use crate::error::{DomainError, Kind};
use chrono::{DateTime, Utc};
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::regression::{self, State, Triage};
use roundtrip_storage::{account, job};
use serde_json::json;
use sqlx::PgPool;

/// What is to change of what people say of a regression; what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct TriageChange {
    /// How far somebody is with it.
    pub state: Option<State>,
    /// The account that looks after it, or none.
    pub assignee: Option<Option<String>>,
    /// A note, or none.
    pub note: Option<Option<String>>,
    /// Where it is talked about, or nowhere.
    pub bug_url: Option<Option<String>>,
    /// Until when nobody is told of it, or not.
    pub muted_until: Option<Option<DateTime<Utc>>>,
}

/// Changes what people say of a regression.
pub async fn triage(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    regression_id: i64,
    change: TriageChange,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let before = regression::lock_triage(&mut transaction, project.project_id, regression_id)
        .await?
        .ok_or_else(|| DomainError::unknown(Kind::Regression, regression_id))?;
    let after = Triage {
        state: change.state.unwrap_or(before.state),
        assignee: change.assignee.unwrap_or_else(|| before.assignee.clone()),
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
                format!("there is no account {name}: expected the name of one, or null"),
            )
        })?),
    };
    regression::triage(&mut transaction, regression_id, &after, assignee, Utc::now()).await?;
    if !matches!(change.state, None | Some(State::New | State::Acknowledged)) {
        // Nobody looks for the culprit any more.
        job::request::give_up(&mut transaction, regression_id, Utc::now()).await?;
    }
    let details = json!({ "project": project.project, "from": before, "to": after });
    let subject = format!("regression:{regression_id}");
    record(&mut transaction, by, Action::RegressionChange, subject, details).await?;
    Ok(transaction.commit().await?)
}
