//! The audit log, for administrators.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, NoFilter, Page, Paged};
use axum::{Json, extract::State};
use roundtrip_storage as db;
use roundtrip_storage::audit::AuditEvent;
use serde::Serialize;
use utoipa::ToSchema;

/// The audit log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditLog {
    /// The events, newest first.
    pub events: Vec<AuditEvent>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// The audit log: changes to tokens, sessions, accounts, members and settings, and deletions.
#[utoipa::path(get, path = "/api/v1/audit", tag = "accounts", params(Page),
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 200, description = "The events, the newest first", body = AuditLog),
    (status = 400, description = "`invalid-parameter`"),
))]
pub(crate) async fn list_events(
    State(state): State<AppState>,
    caller: Caller,
    paged: Paged<NoFilter, i64>,
) -> Result<Json<AuditLog>, ApiError> {
    caller.check_server_admin()?;
    let rows = db::audit::list(&state.pool, paged.after.unwrap_or(i64::MAX), paged.row_limit()).await?;
    let (events, next_after) = paged.cut(rows, |row| row.audit_event_id);
    Ok(Json(AuditLog { events, next_after }))
}
