//! [`ApiError`]: the errors of handlers, answered as RFC 9457 problems.
//!
//! A handler returns the error; `render` adds the request's id to the answer and logs the cause.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use roundtrip_domain::access::Refusal;
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_wire::{Problem, lab::PROTOCOLS, problem::PROBLEM_MEDIA_TYPE};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// Retry delay after a temporary failure.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");

/// Why a request failed. The text is shown to the caller and names the input and the expected value.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// An error of the domain.
    #[error(transparent)]
    Domain(DomainError),
    /// There is no valid token.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// A session was used by another site.
    #[error("{0}")]
    CrossSite(&'static str),
    /// The client exceeds its rate limit.
    #[error("too many requests: retry in {retry_after_seconds} s")]
    TooManyRequests { retry_after_seconds: u64 },
    /// The client has its whole share of a resource.
    #[error("you have too many {what}: read or close some, and retry in 5 s")]
    ShareUsed { what: &'static str },
    /// All clients together have all of a resource.
    #[error("all clients together have too many {what}: retry in 5 s, or sign in")]
    AllInUse { what: &'static str },
    /// The path does not support this method.
    #[error("{method} is not supported by this path")]
    MethodNotAllowed { method: String },
    /// The body is of another type, or compressed in another way.
    #[error("{header} is {found}: expected {expected}")]
    UnsupportedMedia { header: &'static str, found: String, expected: &'static str },
    /// A body arrives too slowly.
    #[error(
        "the body is too slow: {received_bytes} bytes arrived in {seconds} s, expected at least {bytes_per_second_min} \
         bytes per second. Nothing was stored; retry on a faster connection"
    )]
    SlowBody { received_bytes: usize, seconds: u64, bytes_per_second_min: usize },
    /// An agent's messages are of another version.
    #[error(
        "the agent supports protocol versions {} to {}, this server {} to {}: update the {}",
        theirs.start(), theirs.end(), PROTOCOLS.start(), PROTOCOLS.end(),
        if theirs.end() < PROTOCOLS.start() { "agent" } else { "server" }
    )]
    AgentTooOld { theirs: RangeInclusive<u32> },
    /// The server is stopping.
    #[error("the server is stopping: retry later")]
    Stopping,
    /// The database does not have the schema of this server.
    #[error(
        "the database lacks migrations {missing:?}: restart the server, or run `roundtrip-server migrate`"
    )]
    SchemaBehind { missing: Vec<i64> },
}

impl ApiError {
    /// The resource was not found.
    pub(crate) fn unknown(kind: Kind, name: impl ToString) -> Self {
        DomainError::unknown(kind, name).into()
    }

    pub(crate) fn parameter(name: &str, detail: impl Into<String>) -> Self {
        DomainError::parameter(name, detail).into()
    }

    /// The client must wait.
    pub(crate) fn too_many_requests(wait: Duration) -> Self {
        Self::TooManyRequests { retry_after_seconds: wait.as_secs() + 1 }
    }

    /// Converts a refusal. Hidden resources are reported as not found.
    pub(crate) fn refused(refusal: Refusal, kind: Kind, name: impl ToString) -> Self {
        DomainError::refused(refusal, kind, name).into()
    }

    /// The database does not answer.
    pub(crate) fn unavailable(cause: impl Into<anyhow::Error>) -> Self {
        DomainError::unavailable(cause).into()
    }

    /// A bug or an unexpected failure.
    pub(crate) fn internal(cause: impl Into<anyhow::Error>) -> Self {
        DomainError::internal(cause).into()
    }

    /// Status, code and title.
    fn class(&self) -> (StatusCode, String, &'static str) {
        let (status, code, title) = match self {
            Self::Domain(error) => return class_of(error),
            Self::Unauthenticated(_) => (401, "unauthenticated", "Authentication required"),
            Self::CrossSite(_) => (403, "cross-site", "Request from another site"),
            Self::MethodNotAllowed { .. } => (405, "method-not-allowed", "Method not allowed"),
            Self::SlowBody { .. } => (408, "slow-body", "Body too slow"),
            Self::UnsupportedMedia { .. } => (415, "unsupported-media-type", "Unsupported media type"),
            Self::AgentTooOld { .. } => (426, "agent-too-old", "Incompatible agent version"),
            Self::TooManyRequests { .. } | Self::ShareUsed { .. } => {
                (429, "too-many-requests", "Too many requests")
            }
            Self::AllInUse { .. } => (503, "busy", "Server busy"),
            Self::Stopping => (503, "stopping", "Server stopping"),
            Self::SchemaBehind { .. } => (503, "schema-behind", "Database not migrated"),
        };
        (known(status), code.to_owned(), title)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        match self {
            Self::Domain(DomainError::Busy | DomainError::Unavailable(_))
            | Self::ShareUsed { .. }
            | Self::AllInUse { .. }
            | Self::Stopping
            | Self::SchemaBehind { .. } => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS);
            }
            Self::Unauthenticated(_) | Self::Domain(DomainError::Unauthenticated(_)) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::TooManyRequests { retry_after_seconds } => {
                headers.insert(header::RETRY_AFTER, (*retry_after_seconds).into());
            }
            _ => {}
        }
        headers
    }
}

/// Status, code and title.
fn class_of(error: &DomainError) -> (StatusCode, String, &'static str) {
    use DomainError::*;
    let (status, code, title) = match error {
        InvalidParameter { .. } => (400, "invalid-parameter", "Invalid parameter"),
        InvalidEncoding(_) => (400, "invalid-encoding", "Invalid encoding"),
        InvalidJson(_) => (400, "invalid-json", "Invalid JSON"),
        Unauthenticated(_) => (401, "unauthenticated", "Authentication required"),
        Refused(_) => (403, "forbidden", "Permission denied"),
        Unknown { kind, .. } => {
            return (StatusCode::NOT_FOUND, format!("unknown-{kind}"), "Not found");
        }
        Taken(_) => (409, "taken", "Name already in use"),
        LeaseLost { .. } => (409, "lease-lost", "Lease lost"),
        Pruned { .. } => (410, "pruned", "Data deleted"),
        BodyTooLarge { .. } => (413, "body-too-large", "Body too large"),
        UnsupportedSchemaVersion { .. } => (422, "unsupported-schema-version", "Unsupported schema version"),
        InvalidReport { .. } => (422, "invalid-report", "Invalid report"),
        InvalidFile { .. } => (422, "invalid-file", "Invalid file"),
        RunConflict { .. } => (422, "run-conflict", "Conflicting run"),
        Busy => (503, "busy", "Server busy"),
        Unavailable(_) => (503, "unavailable", "Database unavailable"),
        StorageFull(_) => (507, "storage-full", "Disk full"),
        Internal(_) => (500, "internal", "Internal error"),
    };
    (known(status), code.to_owned(), title)
}

fn known(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl From<DomainError> for ApiError {
    fn from(error: DomainError) -> Self {
        match error {
            DomainError::Refused(Refusal::Anonymous) => {
                Self::Unauthenticated("sign in, or send a header `authorization: Bearer <token>`")
            }
            DomainError::Unauthenticated(why) => Self::Unauthenticated(why),
            error => Self::Domain(error),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        DomainError::from(refusal).into()
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        DomainError::from(error).into()
    }
}

impl IntoResponse for ApiError {
    /// Without a body: `render` writes it with the request's id.
    fn into_response(self) -> Response {
        let (status, _, _) = self.class();
        let mut response = (status, self.headers()).into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Middleware: writes the problem of an [`ApiError`], and logs its internal cause.
pub(crate) async fn render(request: Request, next: Next) -> Response {
    let request_id =
        request.headers().get("x-request-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<Arc<ApiError>>() else { return response };
    let (status, code, title) = error.class();
    if let ApiError::Domain(
        DomainError::Unavailable(cause) | DomainError::StorageFull(cause) | DomainError::Internal(cause),
    ) = &*error
    {
        let cause = format!("{cause:#}");
        tracing::error!(request.id = request_id, error.code = code, error.cause = cause, "request failed");
    }
    let pointer = match &*error {
        ApiError::Domain(DomainError::InvalidReport { pointer, .. }) => pointer.clone(),
        ApiError::Domain(DomainError::UnsupportedSchemaVersion { .. }) => Some("/schema_version".to_owned()),
        ApiError::Domain(DomainError::RunConflict { .. }) => Some("/run_id".to_owned()),
        ApiError::Domain(DomainError::InvalidFile { .. }) => Some("/file".to_owned()),
        _ => None,
    };
    let problem = Problem {
        kind: format!("/problems/{code}"),
        title: title.to_owned(),
        status: status.as_u16(),
        code,
        detail: error.to_string(),
        pointer,
        request_id,
    };
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_MEDIA_TYPE));
    // Serialising text and numbers cannot fail.
    Response::from_parts(parts, serde_json::to_vec(&problem).unwrap_or_default().into())
}

/// Turns a panic into a problem. Its message is only logged.
pub(crate) fn of_panic(panic: Box<dyn std::any::Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    ApiError::internal(anyhow::anyhow!("panic: {message}")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{Router, body::Body, middleware::from_fn, routing::get};
    use http_body_util::BodyExt;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    #[tokio::test]
    async fn panic_message_is_not_returned() {
        async fn broken() -> &'static str {
            panic!("the secret cause")
        }
        let app = Router::new()
            .route("/", get(broken))
            .layer(CatchPanicLayer::custom(of_panic))
            .layer(from_fn(render));
        let response = app.oneshot(Request::get("/").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let problem: Problem = serde_json::from_slice(&body).unwrap();
        assert_eq!(problem.code, "internal");
        assert!(!String::from_utf8_lossy(&body).contains("secret"));
    }
}
