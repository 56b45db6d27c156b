//! [`ApiError`]: everything a handler can fail with, and its way to an RFC 9457 problem.
//!
//! A handler returns the error; `render` puts the request's id into the answer and logs the cause, once.

use crate::access::Refusal;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use roundtrip_wire::{Problem, SCHEMA_VERSION, lab::PROTOCOLS, problem::PROBLEM_MEDIA_TYPE};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// When to come back after a temporary failure.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");

/// Why a request was not served. The text is for the one who asked: it names the thing and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// A part of the path or the query is not what it must be.
    #[error("parameter {name}: {detail}")]
    InvalidParameter {
        /// Which one.
        name: String,
        /// What was found and what was expected.
        detail: String,
    },
    /// The compressed body cannot be inflated.
    #[error("{0}")]
    InvalidEncoding(String),
    /// The body is not JSON.
    #[error("{0}")]
    InvalidJson(String),
    /// There is no valid token.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// Whoever asks may not do this.
    #[error(transparent)]
    Forbidden(Refusal),
    /// A session was used by something else than our own pages.
    #[error("{0}")]
    CrossSite(&'static str),
    /// The client asks too often.
    #[error("too many requests: try again in {retry_after_seconds} s")]
    TooManyRequests {
        /// When.
        retry_after_seconds: u64,
    },
    /// The name is in use.
    #[error("{0}")]
    Taken(String),
    /// No such thing.
    #[error("there is no {kind} {name}")]
    Unknown {
        /// What it would be: it is part of the code.
        kind: Kind,
        /// How it was asked for.
        name: String,
    },
    /// It was removed by age.
    #[error("{what} of run {run_id} were removed on {}, as its project keeps them no longer", at.format("%Y-%m-%d"))]
    Pruned {
        /// What: `the upload and imported file`, `the points`.
        what: &'static str,
        /// Of which run.
        run_id: uuid::Uuid,
        /// When.
        at: DateTime<Utc>,
    },
    /// The path has no such method.
    #[error("{method} is not possible here")]
    MethodNotAllowed {
        /// The method of the request.
        method: String,
    },
    /// The body is larger than allowed.
    #[error("the body has more than {max_bytes} bytes {state}")]
    BodyTooLarge {
        /// The limit.
        max_bytes: usize,
        /// In which state it is counted: `as sent` or `inflated`.
        state: &'static str,
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
    /// The report is of a version that this server does not read.
    #[error("schema_version is {found}: this server reads version {SCHEMA_VERSION}")]
    UnsupportedSchemaVersion {
        /// What the report says.
        found: String,
    },
    /// A member of the report is wrong.
    #[error("{detail}")]
    InvalidReport {
        /// JSON pointer to it; absent where it is not known.
        pointer: Option<String>,
        /// What was found and what was expected.
        detail: String,
    },
    /// An imported file cannot be read.
    #[error("{name}: {detail}")]
    InvalidFile {
        /// What it is called.
        name: String,
        /// What was found, where, and what was expected.
        detail: String,
    },
    /// Another report has been stored under this identity.
    #[error("run {run_id} has been stored with another body: a changed report needs a new run_id")]
    RunConflict {
        /// The identity.
        run_id: uuid::Uuid,
    },
    /// An agent speaks of a job that it does not have any more.
    #[error("job {job_id} is not this agent's any more: another one has it, or it is over")]
    LeaseLost {
        /// Which one.
        job_id: i64,
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
    /// More uploads are under way than are let in at a time.
    #[error(
        "as many uploads are under way as this server takes at a time: nothing was stored, send it again later"
    )]
    Busy,
    /// The database does not answer now.
    #[error("the database is busy or does not answer: try again")]
    Unavailable(#[source] anyhow::Error),
    /// The server ends soon.
    #[error("the server is stopping: ask another one, or come back")]
    Stopping,
    /// The database does not have the schema of this server.
    #[error("the database lacks migrations {missing:?} of this server")]
    SchemaBehind {
        /// Their versions.
        missing: Vec<i64>,
    },
    /// The database's disk is full.
    #[error("the database's disk is full: nothing was stored")]
    StorageFull(#[source] anyhow::Error),
    /// The fault is ours.
    #[error("the server failed: its log says why, under this request id")]
    Internal(#[source] anyhow::Error),
}

/// What can be asked for and not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A path of the API.
    Endpoint,
    /// A file of the web UI.
    Asset,
    /// A project.
    Project,
    /// A machine.
    Machine,
    /// A commit.
    Commit,
    /// A short link.
    Link,
    /// A run.
    Run,
    /// A series.
    Series,
    /// A run's result in a series.
    Point,
    /// Changes that one cause explains.
    Regression,
    /// A file that a run was imported from.
    Original,
    /// Where a project tells what happens.
    Channel,
    /// Someone who signs in.
    Account,
    /// An account's role in a project.
    Member,
    /// A token.
    Token,
    /// A way to sign in.
    SignIn,
    /// An agent.
    Agent,
    /// A job.
    Job,
    /// A time at which something is measured.
    Schedule,
    /// Jobs that a project trusts.
    OidcTrust,
    /// The App that this server is at GitHub.
    GitHubApp,
    /// A file of programs for agents.
    Release,
    /// What somebody has published.
    Reference,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Endpoint => "endpoint",
            Self::Asset => "asset",
            Self::Project => "project",
            Self::Machine => "machine",
            Self::Commit => "commit",
            Self::Link => "link",
            Self::Run => "run",
            Self::Series => "series",
            Self::Point => "point",
            Self::Regression => "regression",
            Self::Original => "original",
            Self::Channel => "channel",
            Self::Account => "account",
            Self::Member => "member",
            Self::Token => "token",
            Self::SignIn => "sign-in",
            Self::Agent => "agent",
            Self::Job => "job",
            Self::Schedule => "schedule",
            Self::OidcTrust => "oidc-trust",
            Self::GitHubApp => "github-app",
            Self::Release => "release",
            Self::Reference => "reference",
        })
    }
}

impl ApiError {
    /// There is no such thing.
    pub fn unknown(kind: Kind, name: impl ToString) -> Self {
        Self::Unknown { kind, name: name.to_string() }
    }

    /// A parameter is not what it must be.
    pub fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self::InvalidParameter { name: name.to_owned(), detail: detail.into() }
    }

    /// The client must wait.
    pub fn too_many_requests(wait: Duration) -> Self {
        Self::TooManyRequests { retry_after_seconds: wait.as_secs() + 1 }
    }

    /// Why someone may not do something with a thing that, if it is hidden, does not exist.
    pub fn refused(refusal: Refusal, kind: Kind, name: impl ToString) -> Self {
        match refusal {
            Refusal::Hidden => Self::unknown(kind, name),
            refusal => refusal.into(),
        }
    }

    /// The database does not answer.
    pub fn unavailable(cause: impl Into<anyhow::Error>) -> Self {
        Self::Unavailable(cause.into())
    }

    /// The fault is ours.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self::Internal(cause.into())
    }

    /// Status, code and title.
    fn class(&self) -> (StatusCode, String, &'static str) {
        let (status, code, title) = match self {
            Self::InvalidParameter { .. } => {
                (StatusCode::BAD_REQUEST, "invalid-parameter", "A parameter is wrong")
            }
            Self::InvalidEncoding(_) => {
                (StatusCode::BAD_REQUEST, "invalid-encoding", "The body cannot be read")
            }
            Self::InvalidJson(_) => (StatusCode::BAD_REQUEST, "invalid-json", "The body is not JSON"),
            Self::Unauthenticated(_) => {
                (StatusCode::UNAUTHORIZED, "unauthenticated", "A valid token is needed")
            }
            Self::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden", "This is not allowed"),
            Self::CrossSite(_) => (StatusCode::FORBIDDEN, "cross-site", "This is not one of our pages"),
            Self::TooManyRequests { .. } => {
                (StatusCode::TOO_MANY_REQUESTS, "too-many-requests", "Too many requests")
            }
            Self::Taken(_) => (StatusCode::CONFLICT, "taken", "The name is in use"),
            Self::Unknown { kind, .. } => {
                return (StatusCode::NOT_FOUND, format!("unknown-{kind}"), "It does not exist");
            }
            Self::Pruned { .. } => (StatusCode::GONE, "pruned", "It is not kept any more"),
            Self::MethodNotAllowed { .. } => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "The path has no such method")
            }
            Self::BodyTooLarge { .. } => {
                (StatusCode::PAYLOAD_TOO_LARGE, "body-too-large", "The body is too large")
            }
            Self::UnsupportedMedia { .. } => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "The body is of another type")
            }
            Self::UnsupportedSchemaVersion { .. } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "unsupported-schema-version",
                "The report is of another version",
            ),
            Self::InvalidReport { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "invalid-report", "The report breaks a rule")
            }
            Self::InvalidFile { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "invalid-file", "The file cannot be read")
            }
            Self::RunConflict { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "run-conflict", "The run exists with another body")
            }
            Self::LeaseLost { .. } => (StatusCode::CONFLICT, "lease-lost", "The job is not this agent's"),
            Self::AgentTooOld { .. } => {
                (StatusCode::UPGRADE_REQUIRED, "agent-too-old", "The agent speaks another version")
            }
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Not now"),
            Self::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Not now"),
            Self::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping", "Not now"),
            Self::SchemaBehind { .. } => {
                (StatusCode::SERVICE_UNAVAILABLE, "schema-behind", "The database is not migrated")
            }
            Self::StorageFull(_) => (StatusCode::INSUFFICIENT_STORAGE, "storage-full", "The disk is full"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "The server failed"),
        };
        (status, code.to_owned(), title)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        match self {
            Self::Busy | Self::Unavailable(_) | Self::Stopping | Self::SchemaBehind { .. } => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS);
            }
            Self::Unauthenticated(_) => {
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

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Anonymous => {
                Self::Unauthenticated("expected a header `authorization: Bearer <token>`, or a session")
            }
            refusal => Self::Forbidden(refusal),
        }
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
        match (&error, code.as_str()) {
            (sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_), _) => {
                Self::unavailable(error)
            }
            (_, "53100") => Self::StorageFull(error.into()),
            // Connection lost, resources short, shutting down or starting, read only, a lock or a statement that took
            // too long, transactions that block each other: all pass.
            (_, "25006" | "40001" | "40P01" | "55P03" | "57014") => Self::unavailable(error),
            (_, code) if ["08", "53", "57P"].iter().any(|class| code.starts_with(class)) => {
                Self::unavailable(error)
            }
            _ => Self::internal(error),
        }
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
    if let ApiError::Unavailable(cause) | ApiError::StorageFull(cause) | ApiError::Internal(cause) = &*error {
        let cause = format!("{cause:#}");
        tracing::error!(request.id = request_id, error.code = code, error.cause = cause, "request failed");
    }
    let pointer = match &*error {
        ApiError::InvalidReport { pointer, .. } => pointer.clone(),
        ApiError::UnsupportedSchemaVersion { .. } => Some("/schema_version".to_owned()),
        ApiError::RunConflict { .. } => Some("/run_id".to_owned()),
        ApiError::InvalidFile { .. } => Some("/file".to_owned()),
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

    #[test]
    fn a_pool_without_a_free_connection_is_temporary() {
        assert!(matches!(ApiError::from(sqlx::Error::PoolTimedOut), ApiError::Unavailable(_)));
        assert!(matches!(ApiError::from(sqlx::Error::RowNotFound), ApiError::Internal(_)));
    }
}
