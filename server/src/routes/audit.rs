//! The audit log, for administrators.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Page, Paged};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_storage as db;
use serde::Serialize;
use utoipa::ToSchema;

/// Who changed what.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditLog {
    /// The newest first.
    pub events: Vec<AuditEvent>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// One change.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEvent {
    /// When.
    pub happened_at: DateTime<Utc>,
    /// Who: `account:NAME`, `token:NUMBER`, `anonymous`, `command-line` or `server`.
    #[schema(example = "account:ada")]
    pub actor: String,
    /// What.
    #[schema(example = "token.create")]
    pub action: String,
    /// On what.
    #[schema(example = "token:17")]
    pub subject: String,
    /// The request's id in the server's log; null when it was none.
    #[schema(required)]
    pub request_id: Option<String>,
    /// What else there is to know.
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
}

/// Who changed what on this server: tokens, sessions, accounts, members, settings, deletions.
#[utoipa::path(get, path = "/api/v1/audit", tag = "accounts", params(Page),
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 200, description = "The events, the newest first", body = AuditLog),
    (status = 400, description = "`invalid-parameter`"),
))]
pub(crate) async fn list_events(
    State(state): State<AppState>,
    caller: Caller,
    asked: Paged<Everything, i64>,
) -> Result<Json<AuditLog>, ApiError> {
    caller.check_server_admin()?;
    let rows = db::audit::list(&state.pool, asked.after.unwrap_or(i64::MAX), asked.row_limit()).await?;
    let (rows, next_after) = asked.cut(rows, |row| row.audit_event_id);
    Ok(Json(AuditLog { events: rows.into_iter().map(AuditEvent::from).collect(), next_after }))
}

impl From<db::audit::Row> for AuditEvent {
    fn from(row: db::audit::Row) -> Self {
        Self {
            happened_at: row.happened_at,
            actor: row.actor,
            action: row.action,
            subject: row.subject,
            request_id: row.request_id,
            details: row.details,
        }
    }
}
