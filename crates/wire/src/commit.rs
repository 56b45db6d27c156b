//! [`Commit`]: what the server must know of a commit to order and name it without asking a forge.

use crate::CommitSha;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One commit as its repository tells it.
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
