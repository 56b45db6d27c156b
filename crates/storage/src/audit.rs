//! The audit log. Rows are added in the transaction of the change, and never updated or deleted.

use crate::live;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// The actions in the log.
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
    CommentCreate,
    CommentDelete,
    MembershipRemove,
    MembershipSet,
    NoteCreate,
    NoteDelete,
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

/// The actor and the request.
#[derive(Clone, Debug)]
pub struct By {
    /// `account:NAME`, `token:NUMBER`, `job:REPOSITORY`, `anonymous`, `command-line` or `server`.
    pub actor: String,
    /// The request's id in the log, if there is one.
    pub request_id: Option<String>,
}

/// What happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// The action.
    pub action: Action,
    /// The subject: `token:NUMBER`, `account:NAME`, `project:NAME`, `channel:NUMBER`.
    pub subject: String,
    /// Further details. Never a secret.
    pub details: Value,
}

/// One change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditEvent {
    /// The time.
    pub happened_at: DateTime<Utc>,
    /// The actor: `account:NAME`, `token:NUMBER`, `anonymous`, `command-line` or `server`.
    #[schema(example = "account:ada")]
    pub actor: String,
    /// The action.
    #[schema(example = "token.create")]
    pub action: String,
    /// The subject.
    #[schema(example = "token:17")]
    pub subject: String,
    /// The request's id in the server's log; null when it was none.
    #[schema(required)]
    pub request_id: Option<String>,
    /// Details.
    #[schema(value_type = Object)]
    pub details: Value,
    /// Its key.
    #[serde(skip)]
    pub audit_event_id: i64,
}

impl By {
    /// The operator on the server's command line.
    pub fn command_line() -> Self {
        Self { actor: "command-line".to_owned(), request_id: None }
    }

    /// The server itself.
    pub fn server() -> Self {
        Self { actor: "server".to_owned(), request_id: None }
    }
}

impl Action {
    /// `OidcTrustCreate` is `oidc-trust.create`: the last word is the verb.
    fn text(self) -> String {
        let words: &str = self.as_ref();
        words.rsplit_once('-').map_or_else(|| words.to_owned(), |(on, done)| format!("{on}.{done}"))
    }

    /// Whether a caller may lose access to a project by it.
    fn can_end_access(self) -> bool {
        match self {
            Self::AccountDelete
            | Self::AgentRevoke
            | Self::MembershipRemove
            | Self::OidcTrustDelete
            | Self::ProjectChange
            | Self::ProjectDelete
            | Self::SessionEnd
            | Self::TokenRevoke
            | Self::TokenRotate => true,
            Self::AccountCreate
            | Self::AgentChange
            | Self::AgentEnrol
            | Self::EnrolmentCreate
            | Self::JobCancel
            | Self::JobRequest
            | Self::ChannelChange
            | Self::ChannelCreate
            | Self::ChannelDelete
            | Self::CommentCreate
            | Self::CommentDelete
            | Self::MembershipSet
            | Self::NoteCreate
            | Self::NoteDelete
            | Self::OidcTrustCreate
            | Self::ProjectCreate
            | Self::RegressionChange
            | Self::ScheduleCreate
            | Self::ScheduleDelete
            | Self::SessionBegin
            | Self::SessionRefuse
            | Self::TokenCreate
            | Self::TokenExchange => false,
        }
    }
}

/// Adds an event. If access can end by it, all servers check their event streams when the transaction commits.
///
/// # Errors
/// The database does not answer. The change must then be rolled back.
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
    .execute(&mut *connection)
    .await?;
    if event.action.can_end_access() {
        live::notify_access(connection).await?;
    }
    Ok(())
}

/// The newest events that are older than one.
pub async fn list(pool: &PgPool, before: i64, limit: i64) -> sqlx::Result<Vec<AuditEvent>> {
    sqlx::query_as!(
        AuditEvent,
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
