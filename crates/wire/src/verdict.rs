//! [`Verdict`]: the result of comparing two commits by a case. That of `roundtrip_stats` is another one: it is of cases
//! that can be compared, and is not serialized.

use roundtrip_stats::verdict;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// What is said of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum Verdict {
    /// Head is slower.
    #[serde(rename = "regressed")]
    Regressed,
    /// Head is faster.
    #[serde(rename = "improved")]
    Improved,
    /// Whatever difference there is, it is too small to matter.
    #[serde(rename = "no change")]
    NoChange,
    /// What was measured does not tell.
    #[serde(rename = "inconclusive")]
    Inconclusive,
    /// Measured in different ways, or not on both sides.
    #[serde(rename = "not comparable")]
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As it is serialized.
        self.serialize(formatter)
    }
}

impl From<verdict::Verdict> for Verdict {
    fn from(verdict: verdict::Verdict) -> Self {
        match verdict {
            verdict::Verdict::Regressed => Self::Regressed,
            verdict::Verdict::Improved => Self::Improved,
            verdict::Verdict::NoChange => Self::NoChange,
            verdict::Verdict::Inconclusive => Self::Inconclusive,
        }
    }
}
