//! Whether the process lives, and whether it can serve: for supervisors, load balancers and scripts.

use crate::AppState;
use crate::error::ApiError;
use axum::extract::State;
use roundtrip_storage as db;

/// Whether the process lives. It asks nothing of the database.
#[utoipa::path(get, path = "/healthz", tag = "health", responses(
    (status = 200, description = "It lives", body = String, content_type = "text/plain", example = "ok"),
))]
pub(crate) async fn health() -> &'static str {
    "ok"
}

/// Whether requests can be served: the server is not about to end, the database answers and has the schema of this server.
#[utoipa::path(get, path = "/readyz", tag = "health", responses(
    (status = 200, description = "It can serve", body = String, content_type = "text/plain", example = "ok"),
    (status = 503, description = "Not now"),
))]
pub(crate) async fn readiness(State(state): State<AppState>) -> Result<&'static str, ApiError> {
    if state.is_stopping() {
        return Err(ApiError::Stopping);
    }
    let missing =
        db::schema::missing_migrations(&state.pool, &crate::MIGRATOR).await.map_err(ApiError::unavailable)?;
    if missing.is_empty() { Ok("ok") } else { Err(ApiError::SchemaBehind { missing }) }
}
