//! What operators watch: counters of this process, and figures that are read from the database when they are asked for. In
//! the text format of OpenMetrics, which Prometheus reads. No label names a project, a machine or a branch: who may see the
//! metrics may not be who may see those.
//!
//! They are served on a port of their own ([`router`]), and only when one is named: who reaches the web UI is not to learn
//! how much it is used, and behind a proxy everybody comes from this machine.

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

const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Paths outside the API: files of the web UI, and what does not exist. There is no end to them.
const OTHER: &str = "other";

/// Middleware: counts a request when its answer begins.
pub(crate) async fn observe(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let method = name(request.method());
    // The template, such as `/api/v1/runs/{run_id}`, and never what stands in its place.
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| OTHER.to_owned(), |route| route.as_str().to_owned());
    let begun = Instant::now();
    let response = next.run(request).await;
    state.metrics.answered(method, route, response.status(), begun.elapsed());
    response
}

/// Clients may send any word as the method.
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
