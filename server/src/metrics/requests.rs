//! Requests, counted and timed as they pass.

use super::{Metrics, OutcomeLabels, RequestLabels, RouteLabels};
use crate::AppState;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use std::time::{Duration, Instant};

/// Where uploads arrive.
const UPLOAD_ROUTES: [&str; 2] = ["/api/v1/runs/{run_id}", "/api/v1/import"];
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

impl Metrics {
    fn answered(&self, method: &'static str, route: String, status: StatusCode, duration: Duration) {
        if UPLOAD_ROUTES.contains(&route.as_str()) && matches!(method, "PUT" | "POST") {
            self.uploads.get_or_create(&OutcomeLabels { outcome: outcome(status) }).inc();
        }
        let of_route = RouteLabels { method, route: route.clone() };
        self.durations.get_or_create(&of_route).observe(duration.as_secs_f64());
        self.requests.get_or_create(&RequestLabels { method, route, status: status.as_u16() }).inc();
    }
}

/// What became of an upload.
fn outcome(status: StatusCode) -> &'static str {
    match status {
        StatusCode::CREATED => "stored",
        StatusCode::OK => "known",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "turned_away",
        status if status.is_client_error() => "refused",
        _ => "failed",
    }
}

/// Clients may send any word as the method.
fn name(method: &Method) -> &'static str {
    let known = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
    known.into_iter().find(|known| *known == method.as_str()).unwrap_or(OTHER)
}
