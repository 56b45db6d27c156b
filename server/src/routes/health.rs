//! Liveness and readiness, for supervisors, load balancers and scripts.

use crate::AppState;
use crate::error::ApiError;
use axum::extract::State;
use roundtrip_storage as db;

/// Liveness. Does not check the database.
#[utoipa::path(get, path = "/healthz", tag = "health", responses(
    (status = 200, description = "The process is alive", body = String, content_type = "text/plain", example = "ok"),
))]
pub(crate) async fn health() -> &'static str {
    "ok"
}

/// Readiness: the server is not stopping, and the database answers and has this server's schema.
#[utoipa::path(get, path = "/readyz", tag = "health", responses(
    (status = 200, description = "Ready", body = String, content_type = "text/plain", example = "ok"),
    (status = 503, description = "Not ready"),
))]
pub(crate) async fn readiness(State(state): State<AppState>) -> Result<&'static str, ApiError> {
    if state.is_stopping() {
        return Err(ApiError::Stopping);
    }
    let missing =
        db::schema::missing_migrations(&state.pool, &crate::MIGRATOR).await.map_err(ApiError::unavailable)?;
    if missing.is_empty() { Ok("ok") } else { Err(ApiError::SchemaBehind { missing }) }
}
