//! [`Scope`]: what a token is for.

use super::{UnknownWord, word};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a token is for. It never allows more than whoever holds it may do anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub enum Scope {
    /// Read private projects; public ones need no token.
    #[serde(rename = "read")]
    Read,
    /// Upload runs, and import files.
    #[serde(rename = "ingest:write")]
    IngestWrite,
    /// Ask for jobs, and say how they ended: of agents that were enrolled.
    #[serde(rename = "jobs:claim")]
    JobsClaim,
    /// Change projects and their tokens, ask for measurements.
    #[serde(rename = "project:write")]
    ProjectWrite,
    /// Change members and accounts, delete, make tokens for oneself, read the audit log.
    #[serde(rename = "admin")]
    Admin,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::IngestWrite, Self::JobsClaim, Self::ProjectWrite, Self::Admin];

    /// As it is stored, sent and typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::IngestWrite => "ingest:write",
            Self::JobsClaim => "jobs:claim",
            Self::ProjectWrite => "project:write",
            Self::Admin => "admin",
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl std::str::FromStr for Scope {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        word(text, &Self::ALL, Self::as_str)
    }
}
