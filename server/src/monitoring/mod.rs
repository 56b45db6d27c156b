//! Metrics for operators in the OpenMetrics text format: counters of this process, and values read from the database
//! on each request. No label names a project, machine or branch, because operators may not have permission to see
//! those.
//!
//! They are served only on a separate port ([`router`]), if one is configured. Users of the web UI must not see them.
//! Behind a proxy all requests come from this machine, so the address does not identify operators.

mod sample;

use crate::AppState;
use crate::error::ApiError;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use std::time::Instant;

pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The label for paths outside the API: files of the web UI and unknown paths, which are unlimited.
const OTHER: &str = "other";

/// Middleware: counts a request when its response begins.
pub(crate) async fn observe(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let method = name(request.method());
    // The route's template, such as `/api/v1/runs/{run_id}`, never the actual path.
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| OTHER.to_owned(), |route| route.as_str().to_owned());
    let begun = Instant::now();
    let response = next.run(request).await;
    state.metrics.answered(method, route, response.status(), begun.elapsed());
    response
}

/// The label of a method. Clients can send any word as the method, so unknown ones share a label.
fn name(method: &Method) -> &'static str {
    let known = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
    known.into_iter().find(|known| *known == method.as_str()).unwrap_or(OTHER)
}

/// The service on the port for metrics.
pub fn router(state: AppState) -> Router {
    Router::new().route("/metrics", get(serve)).with_state(state)
}

async fn serve(State(state): State<AppState>) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    let text = sample::text(&state).await.map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text))
}
