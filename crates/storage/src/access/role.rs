//! [`Role`]: what an account is in a project.

use super::{UnknownWord, word};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an account is in a project. Each may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
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

impl Role {
    /// All of them, ascending.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Contributor, Self::Maintainer, Self::Admin];

    /// As it is stored, sent and typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Contributor => "contributor",
            Self::Maintainer => "maintainer",
            Self::Admin => "admin",
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl std::str::FromStr for Role {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        word(text, &Self::ALL, Self::as_str)
    }
}
