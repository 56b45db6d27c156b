//! [`Commit`]: the data that the server needs to order and display a commit without asking a forge.
//! [`CommitSha`]: its object name.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// A commit of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Commit {
    /// The full object name.
    pub sha: CommitSha,
    /// Parents, the first parent first; empty for a root commit.
    pub parents: Vec<CommitSha>,
    /// The first line of the message.
    pub subject: String,
    /// The author's name.
    pub author: String,
    /// When it was committed. Commits are ordered by the graph, never by this time.
    pub committed_at: DateTime<Utc>,
    /// How many commits the first-parent path from the root to this one has, itself included: 1 for a root.
    /// Absent where the repository is shallow and the agent cannot know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_parent_ordinal: Option<u64>,
}

/// Git's name for no object.
const NULL_SHA: &str = "0000000000000000000000000000000000000000";

impl Commit {
    /// Stands for a commit in a report that was measured outside of Git, or before the first commit. Servers reject it.
    pub fn absent(now: DateTime<Utc>) -> Self {
        Self {
            sha: CommitSha(NULL_SHA.into()),
            parents: Vec::new(),
            subject: String::new(),
            author: String::new(),
            committed_at: now,
            first_parent_ordinal: None,
        }
    }

    /// Whether this stands for no commit.
    pub fn is_absent(&self) -> bool {
        self.sha.as_str() == NULL_SHA
    }
}

/// A full git object name: 40 (SHA-1) or 64 (SHA-256) lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^([0-9a-f]{40}|[0-9a-f]{64})$", example = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c")]
pub struct CommitSha(String);

/// Why a text is not a [`CommitSha`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a commit: expected 40 or 64 lower-case hexadecimal digits")]
pub struct InvalidCommitSha {
    /// The beginning of the text.
    pub text: String,
}

impl CommitSha {
    /// Parses a full object name.
    ///
    /// # Errors
    /// [`InvalidCommitSha`] for another length or character. Abbreviations are rejected.
    pub fn parse(text: &str) -> Result<Self, InvalidCommitSha> {
        let digits = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if digits && matches!(text.len(), 40 | 64) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidCommitSha { text: text.chars().take(64).collect() })
        }
    }

    /// The full object name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, for display.
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }
}

impl TryFrom<String> for CommitSha {
    type Error = InvalidCommitSha;

    fn try_from(text: String) -> Result<Self, InvalidCommitSha> {
        Self::parse(&text)
    }
}

impl From<CommitSha> for String {
    fn from(sha: CommitSha) -> Self {
        sha.0
    }
}

impl fmt::Display for CommitSha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
