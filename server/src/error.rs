//! [`ApiError`]: everything a handler can fail with, and its way to an RFC 9457 problem.
//!
//! A handler returns the error; `render` puts the request's id into the answer and logs the cause, once.

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

/// When to come back after a temporary failure.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");

/// Why a request was not served. The text is for the one who asked: it names the thing and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The domain does not do it.
    #[error(transparent)]
    Domain(DomainError),
    /// There is no valid token.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// A session was used by something else than our own pages.
    #[error("{0}")]
    CrossSite(&'static str),
    /// The client asks too often.
    #[error("too many requests: try again in {retry_after_seconds} s")]
    TooManyRequests {
        /// When.
        retry_after_seconds: u64,
    },
    /// The path has no such method.
    #[error("{method} is not possible here")]
    MethodNotAllowed {
        /// The method of the request.
        method: String,
    },
    /// The body is of another type, or compressed in another way.
    #[error("{header} is {found}: expected {expected}")]
    UnsupportedMedia {
        /// The header that says so.
        header: &'static str,
        /// What it says.
        found: String,
        /// What it may say.
        expected: &'static str,
    },
    /// An agent's messages are of another version.
    #[error(
        "the agent speaks the protocol {} to {}, and this server {} to {}: update the {}",
        theirs.start(), theirs.end(), PROTOCOLS.start(), PROTOCOLS.end(),
        if theirs.end() < PROTOCOLS.start() { "agent" } else { "server" }
    )]
    AgentTooOld {
        /// What it speaks.
        theirs: RangeInclusive<u32>,
    },
    /// The server ends soon.
    #[error("the server is stopping: ask another one, or come back")]
    Stopping,
    /// The database does not have the schema of this server.
    #[error("the database lacks migrations {missing:?} of this server")]
    SchemaBehind {
        /// Their versions.
        missing: Vec<i64>,
    },
}

impl ApiError {
    /// There is no such thing.
    pub fn unknown(kind: Kind, name: impl ToString) -> Self {
        DomainError::unknown(kind, name).into()
    }

    /// A parameter is not what it must be.
    pub fn parameter(name: &str, detail: impl Into<String>) -> Self {
        DomainError::parameter(name, detail).into()
    }

    /// The client must wait.
    pub fn too_many_requests(wait: Duration) -> Self {
        Self::TooManyRequests { retry_after_seconds: wait.as_secs() + 1 }
    }

    /// Why someone may not do something with a thing that, if it is hidden, does not exist.
    pub fn refused(refusal: Refusal, kind: Kind, name: impl ToString) -> Self {
        DomainError::refused(refusal, kind, name).into()
    }

    /// The database does not answer.
    pub fn unavailable(cause: impl Into<anyhow::Error>) -> Self {
        DomainError::unavailable(cause).into()
    }

    /// The fault is ours.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        DomainError::internal(cause).into()
    }

    /// Status, code and title.
    fn class(&self) -> (StatusCode, String, &'static str) {
        let (status, code, title) = match self {
            Self::Domain(error) => return class_of(error),
            Self::Unauthenticated(_) => (401, "unauthenticated", "A valid token is needed"),
            Self::CrossSite(_) => (403, "cross-site", "This is not one of our pages"),
            Self::MethodNotAllowed { .. } => (405, "method-not-allowed", "The path has no such method"),
            Self::UnsupportedMedia { .. } => (415, "unsupported-media-type", "The body is of another type"),
            Self::AgentTooOld { .. } => (426, "agent-too-old", "The agent speaks another version"),
            Self::TooManyRequests { .. } => (429, "too-many-requests", "Too many requests"),
            Self::Stopping => (503, "stopping", "Not now"),
            Self::SchemaBehind { .. } => (503, "schema-behind", "The database is not migrated"),
        };
        (known(status), code.to_owned(), title)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        match self {
            Self::Domain(DomainError::Busy | DomainError::Unavailable(_))
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
        InvalidParameter { .. } => (400, "invalid-parameter", "A parameter is wrong"),
        InvalidEncoding(_) => (400, "invalid-encoding", "The body cannot be read"),
        InvalidJson(_) => (400, "invalid-json", "The body is not JSON"),
        Unauthenticated(_) => (401, "unauthenticated", "A valid token is needed"),
        Refused(_) => (403, "forbidden", "This is not allowed"),
        Unknown { kind, .. } => {
            return (StatusCode::NOT_FOUND, format!("unknown-{kind}"), "It does not exist");
        }
        Taken(_) => (409, "taken", "The name is in use"),
        LeaseLost { .. } => (409, "lease-lost", "The job is not this agent's"),
        Pruned { .. } => (410, "pruned", "It is not kept any more"),
        BodyTooLarge { .. } => (413, "body-too-large", "The body is too large"),
        UnsupportedSchemaVersion { .. } => {
            (422, "unsupported-schema-version", "The report is of another version")
        }
        InvalidReport { .. } => (422, "invalid-report", "The report breaks a rule"),
        InvalidFile { .. } => (422, "invalid-file", "The file cannot be read"),
        RunConflict { .. } => (422, "run-conflict", "The run exists with another body"),
        Busy => (503, "busy", "Not now"),
        Unavailable(_) => (503, "unavailable", "Not now"),
        StorageFull(_) => (507, "storage-full", "The disk is full"),
        Internal(_) => (500, "internal", "The server failed"),
    };
    (known(status), code.to_owned(), title)
}

/// The status with this number.
fn known(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl From<DomainError> for ApiError {
    fn from(error: DomainError) -> Self {
        match error {
            DomainError::Refused(Refusal::Anonymous) => {
                Self::Unauthenticated("expected a header `authorization: Bearer <token>`, or a session")
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
    /// Without a body: `render` writes it, because it alone knows the request's id.
    fn into_response(self) -> Response {
        let (status, _, _) = self.class();
        let mut response = (status, self.headers()).into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Middleware: writes the problem of an [`ApiError`], and logs what the answer must not tell.
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
    // A problem holds only text and numbers: it always has a JSON form.
    Response::from_parts(parts, serde_json::to_vec(&problem).unwrap_or_default().into())
}

/// A panic becomes a problem as well; what it said goes to the log alone.
pub(crate) fn of_panic(panic: Box<dyn std::any::Any + Send>) -> Response {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message");
    ApiError::internal(anyhow::anyhow!("panic: {said}")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{Router, body::Body, middleware::from_fn, routing::get};
    use http_body_util::BodyExt;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    #[tokio::test]
    async fn a_panic_is_a_problem_that_does_not_repeat_what_it_said() {
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
