//! Every request has an id: in the answer's `x-request-id`, in every problem, in the log.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;
use uuid::Uuid;

static HEADER: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request that is being answered, if one is.
pub fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Draws the id, lets the request pass, and logs one line about it.
pub async fn assign(request: Request, next: Next) -> Response {
    let id = Uuid::now_v7().to_string();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let begun = Instant::now();
    let mut response = CURRENT.scope(id.clone(), next.run(request)).await;
    tracing::info!(
        request.id = id,
        http.status = response.status().as_u16(),
        duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        "{method} {path}"
    );
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER.clone(), value);
    }
    response
}
