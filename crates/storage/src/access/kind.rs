//! [`TokenKind`]: who uses a token.

use super::{Scope, UnknownWord, word};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who uses a token. Its prefix tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// A person, with the rights of an account.
    User,
    /// An agent on a machine.
    Agent,
    /// A job of continuous integration.
    Ci,
}

impl TokenKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::Ci];

    /// As it is stored, sent and typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Ci => "ci",
        }
    }

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

impl std::fmt::Display for TokenKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl std::str::FromStr for TokenKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        word(text, &Self::ALL, Self::as_str)
    }
}
