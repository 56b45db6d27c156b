//! Who may do what, as far as it is stored, and which project a thing belongs to.
//!
//! # Codemap
//! - here: the words of roles, of scopes, of kinds of tokens and of visibility.
//! - `sight`: which projects and tokens someone may see. [`owner`]: which project a thing belongs to.
//! - [`secret`]: the form of tokens and of what a cookie holds.

pub mod owner;
pub mod secret;
mod sight;

pub use secret::Secret;
pub use sight::{Account, Binding, ManagedToken, Sight, TokenSight};

use chrono::TimeDelta;

/// How long a session may be idle.
pub const SESSION_IDLE: TimeDelta = TimeDelta::days(7);
/// How long a session lasts at most.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);

text_enum! {
    /// Who may read a project.
    #[derive(Default)]
    pub enum Visibility {
        /// Everyone who may read on this server.
        #[default]
        Public,
        /// Its members.
        Private,
    }
}

text_enum! {
    /// What an account is in a project. Each may do what those before it may.
    #[derive(PartialOrd, Ord)]
    pub enum Role {
        /// Reads.
        Viewer,
        /// Uploads by hand, acknowledges regressions, asks for measurements.
        Contributor,
        /// Changes the project and its tokens.
        Maintainer,
        /// Changes its members, deletes it.
        Admin,
    }
}

impl Role {
    /// All of them, ascending.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Contributor, Self::Maintainer, Self::Admin];
}

text_enum! {
    /// What a token is for. It never allows more than whoever holds it may do anyway.
    #[derive(PartialOrd, Ord)]
    pub enum Scope {
        /// Read private projects; public ones need no token.
        Read,
        /// Upload runs, and import files.
        #[serde(rename = "ingest:write")]
        #[sqlx(rename = "ingest:write")]
        #[strum(serialize = "ingest:write")]
        IngestWrite,
        /// Ask for jobs, and say how they ended: of agents that were enrolled.
        #[serde(rename = "jobs:claim")]
        #[sqlx(rename = "jobs:claim")]
        #[strum(serialize = "jobs:claim")]
        JobsClaim,
        /// Change projects and their tokens, ask for measurements.
        #[serde(rename = "project:write")]
        #[sqlx(rename = "project:write")]
        #[strum(serialize = "project:write")]
        ProjectWrite,
        /// Change members and accounts, delete, make tokens for oneself, read the audit log.
        Admin,
    }
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::IngestWrite, Self::JobsClaim, Self::ProjectWrite, Self::Admin];
}

text_enum! {
    /// Who uses a token. Its prefix tells.
    pub enum TokenKind {
        /// A person, with the rights of an account.
        User,
        /// An agent on a machine.
        Agent,
        /// A job of continuous integration.
        Ci,
    }
}

impl TokenKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::Ci];

    /// The scopes that a token of this kind can have: programs measure, people manage.
    pub fn scopes(self) -> &'static [Scope] {
        match self {
            Self::User => &[Scope::Read, Scope::IngestWrite, Scope::ProjectWrite, Scope::Admin],
            // The scope jobs:claim is given by enrolment alone.
            Self::Agent | Self::Ci => &[Scope::Read, Scope::IngestWrite],
        }
    }

    /// The scopes that a token has unless asked otherwise.
    pub fn default_scopes(self) -> &'static [Scope] {
        match self {
            Self::User => &[Scope::Read, Scope::IngestWrite, Scope::ProjectWrite],
            Self::Agent => &[Scope::IngestWrite],
            Self::Ci => &[Scope::Read, Scope::IngestWrite],
        }
    }
}
