//! [`Verdict`]: the result of comparing two commits in a case. The verdict of `roundtrip_stats` covers only
//! comparable cases and is not serialized.

use roundtrip_stats::verdict;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// The verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum Verdict {
    /// Head is slower.
    #[serde(rename = "regressed")]
    Regressed,
    /// Head is faster.
    #[serde(rename = "improved")]
    Improved,
    /// Any difference is too small to matter.
    #[serde(rename = "no change")]
    NoChange,
    /// The data do not allow a verdict.
    #[serde(rename = "inconclusive")]
    Inconclusive,
    /// Different methodologies, or results on one side only.
    #[serde(rename = "not comparable")]
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Same text as serialized.
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
