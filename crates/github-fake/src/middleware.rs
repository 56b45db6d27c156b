//! The middleware of every API request: required headers, planned faults, rate limits and the record of requests.

use crate::auth::{bearer, problem};
use crate::fault::Fault;
use crate::state::{Recorded, Shared};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const WRITES_PER_MINUTE: usize = 80;
/// Limit of a request body in bytes; GitHub does not document its own.
const BODY_BYTES_MAX: usize = 1024 * 1024;

pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, BODY_BYTES_MAX).await else {
        return problem(StatusCode::PAYLOAD_TOO_LARGE, "Payload too large");
    };
    let (method, path) = (parts.method.to_string(), shared.without_prefix(&parts.uri));
    let write = ["POST", "PATCH"].contains(&method.as_str()) && !path.ends_with("/access_tokens");
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    shared.record_bearer(bearer(&parts.headers));
    let now = shared.now();
    let impatient = shared.retry_at().is_some_and(|until| now < until);
    let fault = shared.take_fault(&method, &path);
    tokio::time::sleep(fault.map_or_else(Default::default, Fault::delay)).await;
    let early = refused(&parts.headers).or_else(|| match fault {
        Some(Fault::SecondaryLimit { retry_after_seconds }) => Some(secondary_limit(retry_after_seconds)),
        Some(Fault::TooManyRequests { retry_after_seconds }) => Some(
            (
                [(header::RETRY_AFTER, retry_after_seconds.to_string())],
                problem(StatusCode::TOO_MANY_REQUESTS, "You have exceeded a secondary rate limit."),
            )
                .into_response(),
        ),
        Some(Fault::PrimaryLimit { reset_seconds }) => Some(primary_limit(now, reset_seconds)),
        Some(Fault::Status(status)) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Some((status, "Unicorn!").into_response())
        }
        _ if write && shared.writes_since(now - TimeDelta::seconds(60)) >= WRITES_PER_MINUTE => {
            Some(secondary_limit(Some(60)))
        }
        _ => None,
    });
    let cut = |at| fault == Some(at);
    let mut response = match early {
        Some(response) => response,
        None if cut(Fault::CutBefore) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        None => next.run(Request::from_parts(parts, Body::from(bytes))).await,
    };
    shared.add_limit_headers(&mut response, now);
    let status = response.status().as_u16();
    let recorded = Recorded { at: now, method, path, body, status, impatient, write };
    shared.record(recorded, response.headers());
    if cut(Fault::CutBefore) || cut(Fault::CutAfter) {
        // Panicking ends the connection's task and closes the connection, without output on standard error.
        std::panic::resume_unwind(Box::new("the connection is cut"));
    }
    response
}

/// Checks the headers that GitHub requires. Only the fake requires a version of the API.
fn refused(headers: &HeaderMap) -> Option<Response> {
    let text = |name: &str| {
        headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default()
    };
    if text("user-agent").is_empty() {
        let why = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header";
        return Some((StatusCode::FORBIDDEN, why).into_response());
    }
    if text("accept") != "application/vnd.github+json" {
        return Some(problem(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Must accept 'application/vnd.github+json'",
        ));
    }
    if text("x-github-api-version") != "2022-11-28" {
        return Some(problem(StatusCode::BAD_REQUEST, "This version of the API is not supported"));
    }
    None
}

fn secondary_limit(retry_after_seconds: Option<u64>) -> Response {
    let why = "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. \
               Please retry your request again later.";
    let mut response = problem(StatusCode::FORBIDDEN, why);
    if let Some(seconds) = retry_after_seconds {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn primary_limit(now: DateTime<Utc>, reset_seconds: i64) -> Response {
    let mut response = problem(StatusCode::FORBIDDEN, "API rate limit exceeded for installation.");
    let reset = now.timestamp() + reset_seconds;
    response.headers_mut().insert("x-ratelimit-remaining", 0.into());
    response.headers_mut().insert("x-ratelimit-reset", reset.into());
    response
}
