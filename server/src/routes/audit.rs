//! The audit log, for administrators.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Page, Paged};
use axum::{Json, extract::State};
use roundtrip_storage as db;
use roundtrip_storage::audit::AuditEvent;
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
    let (events, next_after) = asked.cut(rows, |row| row.audit_event_id);
    Ok(Json(AuditLog { events, next_after }))
}
