//! A span for each request, named by OpenTelemetry's semantic conventions.

use super::TARGET;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use opentelemetry::global;
use opentelemetry_http::HeaderExtractor;
use tracing::{Instrument, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Middleware: handles a request within a span.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let span = span(&request);
    if span.is_disabled() {
        return next.run(request).await;
    }
    let parent =
        global::get_text_map_propagator(|propagator| propagator.extract(&HeaderExtractor(request.headers())));
    // This fails only for a span that has started.
    let _ = span.set_parent(parent);
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    response
}

fn span(request: &Request) -> Span {
    let method = request.method();
    // The route's path has placeholders for parameters.
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    tracing::info_span!(
        target: TARGET,
        "request",
        otel.name = format!("{method} {route}").trim_end(),
        otel.kind = "server",
        otel.status_code = field::Empty,
        http.request.method = %method,
        http.response.status_code = field::Empty,
        http.route = route,
        url.path = request.uri().path(),
        request.id = request.headers().get("x-request-id").and_then(|value| value.to_str().ok()),
    )
}
