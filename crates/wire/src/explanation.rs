//! Why a case became slower than in another commit, as far as an agent could tell.

use crate::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most findings, notes and suspects of an explanation.
pub const FINDINGS_MAX: usize = 20;

/// What changed between two commits in one case, per message; in `roundtrip`, per round trip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// The commit that it was compared with.
    pub base_sha: CommitSha,
    /// The change of the time of a message.
    pub change_ns: i64,
    /// The causes, those that account for most of the change first.
    pub findings: Vec<Finding>,
    /// The part of the change that no finding accounts for.
    pub unexplained_ns: i64,
    /// What could not be observed, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Commits between the two that change what the findings name: those with the most names first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// Whether the report has a profile of both sides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_profile: bool,
}

/// A commit that changes what findings name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Suspect {
    /// The commit.
    pub sha: CommitSha,
    /// The functions and calls on its changed lines, or around them.
    pub names: Vec<String>,
}

/// A cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// The rule that found it: `extra-call`, `buffer-size`.
    pub rule: Slug,
    /// The cause in words: ``+1.00 `sendmsg` per round trip``.
    pub text: String,
    /// The part of the change that it accounts for; absent if that cannot be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains_ns: Option<i64>,
    /// The estimates of that part, each without one of the repetitions: the least and the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains_range_ns: Option<[i64; 2]>,
    /// The function that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}
