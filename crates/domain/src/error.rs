//! [`DomainError`]: why the domain does not do what was asked of it.

use crate::access::Refusal;
use chrono::{DateTime, Utc};
use roundtrip_storage::StorageError;
use roundtrip_wire::SCHEMA_VERSION;

/// Why something was not done. The text is for the one who asked: it names the thing and what was expected.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants' messages say what the fields are")]
pub enum DomainError {
    /// A part of the path or the query is not what it must be.
    #[error("parameter {name}: {detail}")]
    InvalidParameter { name: String, detail: String },
    /// The compressed body cannot be inflated.
    #[error("{0}")]
    InvalidEncoding(String),
    /// The body is not JSON.
    #[error("{0}")]
    InvalidJson(String),
    /// What is to prove who asks is not valid.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// Who asks may not do this.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The name is in use.
    #[error("{0}")]
    Taken(String),
    /// No such thing.
    #[error("there is no {kind} {name}")]
    Unknown { kind: Kind, name: String },
    /// It was removed by age.
    #[error("{what} of run {run_id} were removed on {}, as its project keeps them no longer", at.format("%Y-%m-%d"))]
    Pruned {
        /// What: `the upload and imported file`, `the points`.
        what: &'static str,
        run_id: uuid::Uuid,
        at: DateTime<Utc>,
    },
    /// The body is larger than allowed.
    #[error("the body has more than {max_bytes} bytes {state}")]
    BodyTooLarge {
        max_bytes: usize,
        /// In which state it is counted: `as sent` or `inflated`.
        state: &'static str,
    },
    /// The report is of a version that this server does not read.
    #[error("schema_version is {found}: this server reads version {SCHEMA_VERSION}")]
    UnsupportedSchemaVersion { found: String },
    /// A member of the report is wrong.
    #[error("{detail}")]
    InvalidReport {
        /// JSON pointer to it; absent where it is not known.
        pointer: Option<String>,
        detail: String,
    },
    /// An imported file cannot be read.
    #[error("{name}: {detail}")]
    InvalidFile { name: String, detail: String },
    /// Another report has been stored under this identity.
    #[error("run {run_id} has been stored with another body: a changed report needs a new run_id")]
    RunConflict { run_id: uuid::Uuid },
    /// An agent speaks of a job that it does not have any more.
    #[error("job {job_id} is not this agent's any more: another one has it, or it is over")]
    LeaseLost { job_id: i64 },
    /// More uploads are under way than are let in at a time.
    #[error(
        "as many uploads are under way as this server takes at a time: nothing was stored, send it again later"
    )]
    Busy,
    /// The database does not answer now.
    #[error("the database is busy or does not answer: try again")]
    Unavailable(#[source] anyhow::Error),
    /// The database's disk is full.
    #[error("the database's disk is full: nothing was stored")]
    StorageFull(#[source] anyhow::Error),
    /// The fault is ours.
    #[error("the server failed: its log says why, under this request id")]
    Internal(#[source] anyhow::Error),
}

/// What a request can name and the server may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// A path of the API.
    Endpoint,
    /// A file of the web UI.
    Asset,
    /// A project.
    Project,
    /// A machine that measures.
    Machine,
    /// A commit that was measured.
    Commit,
    /// A shortened address of a page.
    Link,
    /// A run.
    Run,
    /// A series of results.
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
    /// An API token.
    Token,
    /// A way to sign in that this server may offer.
    SignIn,
    /// An enrolled agent.
    Agent,
    /// A job for an agent.
    Job,
    /// A time at which something is measured.
    Schedule,
    /// Jobs that a project trusts.
    OidcTrust,
    /// The App that this server is at GitHub.
    #[strum(serialize = "github-app")]
    GitHubApp,
    /// A file of programs for agents.
    Release,
    /// What somebody has published.
    Reference,
}

impl DomainError {
    /// There is no such thing.
    pub fn unknown(kind: Kind, name: impl ToString) -> Self {
        Self::Unknown { kind, name: name.to_string() }
    }

    /// A parameter is not what it must be.
    pub fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self::InvalidParameter { name: name.to_owned(), detail: detail.into() }
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
}

impl From<StorageError> for DomainError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Unavailable(cause) => Self::Unavailable(cause.into()),
            StorageError::Full(cause) => Self::StorageFull(cause.into()),
            StorageError::Failed(cause) => Self::Internal(cause.into()),
        }
    }
}

impl From<sqlx::Error> for DomainError {
    fn from(error: sqlx::Error) -> Self {
        StorageError::from(error).into()
    }
}
