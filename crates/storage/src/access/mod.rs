//! Stored permissions, and the project of each thing.
//!
//! # Codemap
//! - Here: roles, scopes, token kinds and visibility.
//! - `visible`: the projects and tokens that a caller can see. [`owner`]: the project of a thing.
//! - [`secret`]: the format of tokens and session cookies.

pub mod owner;
pub mod secret;
mod visible;

pub use secret::Secret;
pub use visible::{Account, Binding, ManagedToken, VisibleProjects, VisibleTokens};

use chrono::TimeDelta;

/// The longest idle time of a session.
pub const SESSION_IDLE: TimeDelta = TimeDelta::days(7);
/// The longest lifetime of a session.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);

text_enum! {
    /// The visibility of a project.
    #[derive(Default)]
    pub enum Visibility {
        /// Everyone with read access to the server.
        #[default]
        Public,
        /// Its members.
        Private,
    }
}

text_enum! {
    /// An account's role in a project. Each includes the permissions of the ones before it.
    #[derive(PartialOrd, Ord)]
    pub enum Role {
        /// Can read.
        Viewer,
        /// Can upload by hand, triage regressions and queue jobs.
        Contributor,
        /// Can change the project and its tokens.
        Maintainer,
        /// Can change members, and delete the project.
        Admin,
    }
}

impl Role {
    /// All roles, ascending.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Contributor, Self::Maintainer, Self::Admin];
}

text_enum! {
    /// What a token allows, within the permissions of its holder.
    #[derive(PartialOrd, Ord)]
    pub enum Scope {
        /// Read private projects; public ones need no token.
        Read,
        /// Upload runs, and import files.
        #[serde(rename = "ingest:write")]
        #[sqlx(rename = "ingest:write")]
        #[strum(serialize = "ingest:write")]
        IngestWrite,
        /// Upload quarantined runs only; for CI jobs that can follow code from forks.
        #[serde(rename = "ingest:quarantined")]
        #[sqlx(rename = "ingest:quarantined")]
        #[strum(serialize = "ingest:quarantined")]
        IngestQuarantined,
        /// Claim jobs and report their outcome; only for enrolled agents.
        #[serde(rename = "jobs:claim")]
        #[sqlx(rename = "jobs:claim")]
        #[strum(serialize = "jobs:claim")]
        JobsClaim,
        /// Change projects and their tokens, and queue jobs.
        #[serde(rename = "project:write")]
        #[sqlx(rename = "project:write")]
        #[strum(serialize = "project:write")]
        ProjectWrite,
        /// Change members and accounts, delete data, create tokens for oneself, read the audit log.
        Admin,
    }
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::IngestWrite,
        Self::IngestQuarantined,
        Self::JobsClaim,
        Self::ProjectWrite,
        Self::Admin,
    ];
}

text_enum! {
    /// The kind of a token's user. The prefix shows it.
    pub enum TokenKind {
        /// A user, with the permissions of an account.
        User,
        /// An agent on a machine.
        Agent,
        /// A CI job.
        Ci,
    }
}

impl TokenKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::Ci];

    /// The scopes that a token of this kind can have: programs measure, users manage.
    pub fn scopes(self) -> &'static [Scope] {
        match self {
            Self::User => &[Scope::Read, Scope::IngestWrite, Scope::ProjectWrite, Scope::Admin],
            // Only enrolment grants the scope jobs:claim, and only an exchange ingest:quarantined.
            Self::Agent | Self::Ci => &[Scope::Read, Scope::IngestWrite],
        }
    }

    /// The scopes of a token by default.
    pub fn default_scopes(self) -> &'static [Scope] {
        match self {
            Self::User => &[Scope::Read, Scope::IngestWrite, Scope::ProjectWrite],
            Self::Agent => &[Scope::IngestWrite],
            Self::Ci => &[Scope::Read, Scope::IngestWrite],
        }
    }
}
