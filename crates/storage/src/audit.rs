//! The audit log: rows are added in the transaction of what they tell of, and nothing here changes or removes one.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

/// What can be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "their texts say it")]
pub enum Action {
    AccountCreate,
    AccountDelete,
    AgentChange,
    AgentEnrol,
    AgentRevoke,
    EnrolmentCreate,
    JobCancel,
    JobRequest,
    ChannelChange,
    ChannelCreate,
    ChannelDelete,
    MembershipRemove,
    MembershipSet,
    OidcTrustCreate,
    OidcTrustDelete,
    ProjectChange,
    ProjectCreate,
    ProjectDelete,
    RegressionChange,
    ScheduleCreate,
    ScheduleDelete,
    SessionBegin,
    SessionEnd,
    SessionRefuse,
    TokenCreate,
    TokenExchange,
    TokenRevoke,
    TokenRotate,
}

/// Who did it, and by which request.
#[derive(Clone, Debug)]
pub struct By {
    /// `account:NAME`, `token:NUMBER`, `job:REPOSITORY`, `anonymous`, `command-line` or `server`.
    pub actor: String,
    /// The request's id in the log, if it was one.
    pub request_id: Option<String>,
}

/// What happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// What.
    pub action: Action,
    /// On what: `token:NUMBER`, `account:NAME`, `project:NAME`, `channel:NUMBER`.
    pub subject: String,
    /// What else there is to know. Never a secret.
    pub details: Value,
}

/// An event as it was stored.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table audit_event, described there")]
pub struct Row {
    pub audit_event_id: i64,
    pub happened_at: DateTime<Utc>,
    pub actor: String,
    pub action: String,
    pub subject: String,
    pub request_id: Option<String>,
    pub details: Value,
}

impl By {
    /// Whoever runs a verb of the program on the server's machine.
    pub fn command_line() -> Self {
        Self { actor: "command-line".to_owned(), request_id: None }
    }

    /// The server, of itself.
    pub fn server() -> Self {
        Self { actor: "server".to_owned(), request_id: None }
    }
}

impl Action {
    /// `OidcTrustCreate` is `oidc-trust.create`: the last word is what was done.
    fn text(self) -> String {
        let words: &str = self.as_ref();
        words.rsplit_once('-').map_or_else(|| words.to_owned(), |(on, done)| format!("{on}.{done}"))
    }
}

/// Adds an event.
///
/// # Errors
/// The database does not answer: what it tells of must not happen then.
pub async fn record(connection: &mut PgConnection, by: &By, event: Event) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into audit_event (happened_at, actor, action, subject, request_id, details)
         values (now(), $1, $2, $3, $4, $5)",
        by.actor,
        event.action.text(),
        event.subject,
        by.request_id,
        event.details,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The newest events that are older than one.
pub async fn list(pool: &PgPool, before: i64, limit: i64) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as!(
        Row,
        "select audit_event_id, happened_at, actor, action, subject, request_id, details
         from audit_event
         where audit_event_id < $1
         order by audit_event_id desc
         limit $2",
        before,
        limit,
    )
    .fetch_all(pool)
    .await
}
