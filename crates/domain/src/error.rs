//! [`DomainError`]: why an operation failed.

use crate::access::Refusal;
use chrono::{DateTime, Utc};
use roundtrip_wire::SCHEMA_VERSION;

/// Why an operation failed. The text is shown to the caller and names the input and the expected value.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants' messages say what the fields are")]
pub enum DomainError {
    /// A part of the path, query or body is invalid.
    #[error("parameter {name}: {detail}")]
    InvalidParameter { name: String, detail: String },
    /// The compressed body cannot be inflated.
    #[error("{0}")]
    InvalidEncoding(String),
    /// The body is not JSON.
    #[error("{0}")]
    InvalidJson(String),
    /// The credentials are invalid.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The caller has no permission.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The name is in use.
    #[error("{0}")]
    Taken(String),
    /// The named thing does not exist, or the caller cannot see it.
    #[error("{kind} not found: {name}")]
    Unknown { kind: Kind, name: String },
    /// The data was deleted by the project's retention.
    #[error("{what} of run {run_id} were deleted on {} by the project's retention settings", at.format("%Y-%m-%d"))]
    Pruned {
        /// What: `the upload and imported file`, `the points`.
        what: &'static str,
        run_id: uuid::Uuid,
        at: DateTime<Utc>,
    },
    /// The body is larger than allowed.
    #[error("the body is too large: at most {max_bytes} bytes {state}")]
    BodyTooLarge {
        max_bytes: usize,
        /// `as sent`, `inflated` or `of memory when parsed`.
        state: &'static str,
    },
    /// The server does not support the report's schema version.
    #[error("unsupported schema_version {found}: expected {SCHEMA_VERSION}")]
    UnsupportedSchemaVersion { found: String },
    /// A field of the report is invalid.
    #[error("{detail}")]
    InvalidReport {
        /// JSON pointer to the field, if known.
        pointer: Option<String>,
        detail: String,
    },
    /// An imported file cannot be read.
    #[error("{name}: {detail}")]
    InvalidFile { name: String, detail: String },
    /// A different report is stored under this run id.
    #[error("run {run_id} is already stored with a different body: use a new run_id for a changed report")]
    RunConflict { run_id: uuid::Uuid },
    /// The agent no longer holds the job's lease.
    #[error("the lease of job {job_id} is lost: another agent has it, or the job is finished")]
    LeaseLost { job_id: i64 },
    /// There is no memory for a body.
    #[error("too many bodies are arriving or being stored: nothing was stored, retry later")]
    Busy,
    /// The database does not answer now.
    #[error("the database is busy or unreachable: retry later")]
    Unavailable(#[source] anyhow::Error),
    /// The database's disk is full.
    #[error("the database's disk is full: nothing was stored")]
    StorageFull(#[source] anyhow::Error),
    /// A bug or an unexpected failure.
    #[error("internal error: see the server's log for this request id")]
    Internal(#[source] anyhow::Error),
}

/// The kind of thing that was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// A path of the API.
    Endpoint,
    /// A file of the web interface.
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
    /// A series of results.
    Series,
    /// A run's result in a series.
    Point,
    /// A regression.
    Regression,
    /// A comment on a regression.
    Comment,
    /// The profile of a regression.
    Profile,
    /// The imported file of a run.
    Original,
    /// A notification channel.
    Channel,
    /// An account.
    Account,
    /// An account's role in a project.
    Member,
    /// An API token.
    Token,
    /// A method of sign-in.
    SignIn,
    /// An enrolled agent.
    Agent,
    /// A job for an agent.
    Job,
    /// A schedule.
    Schedule,
    /// A note on a commit.
    Note,
    /// A trust for CI jobs.
    OidcTrust,
    /// The GitHub App.
    #[strum(serialize = "github-app")]
    GitHubApp,
    /// A release file for agents.
    Release,
    /// A publication.
    Reference,
}

impl DomainError {
    /// The thing was not found.
    pub fn unknown(kind: Kind, name: impl ToString) -> Self {
        Self::Unknown { kind, name: name.to_string() }
    }

    /// A parameter is invalid.
    pub fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self::InvalidParameter { name: name.to_owned(), detail: detail.into() }
    }

    /// The error for a refusal. A hidden thing is reported as not found.
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

    /// A bug or an unexpected failure.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self::Internal(cause.into())
    }
}

impl From<sqlx::Error> for DomainError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
        match (&error, code.as_str()) {
            (sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_), _) => {
                Self::unavailable(error)
            }
            (_, "53100") => Self::StorageFull(error.into()),
            // Connection lost, insufficient resources, shutting down or starting, read-only, lock or
            // statement timeout, serialization failure or deadlock: all temporary.
            (_, "25006" | "40001" | "40P01" | "55P03" | "57014") => Self::unavailable(error),
            (_, code) if ["08", "53", "57P"].iter().any(|class| code.starts_with(class)) => {
                Self::unavailable(error)
            }
            _ => Self::internal(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_without_a_free_connection_is_temporary() {
        assert!(matches!(DomainError::from(sqlx::Error::PoolTimedOut), DomainError::Unavailable(_)));
        assert!(matches!(DomainError::from(sqlx::Error::RowNotFound), DomainError::Internal(_)));
    }
}
