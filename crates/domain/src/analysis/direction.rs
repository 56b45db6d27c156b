//! [`Direction`]: whether times became longer or shorter.

use serde::{Deserialize, Serialize};
use std::str::FromStr;
use utoipa::ToSchema;

/// Which way times changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// They are longer.
    Regressed,
    /// They are shorter.
    Improved,
}

impl Direction {
    /// Of a change of times, as a share.
    pub fn of(change: f64) -> Self {
        if change > 0.0 { Self::Regressed } else { Self::Improved }
    }

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
        }
    }
}

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Regressed, Self::Improved]
            .into_iter()
            .find(|direction| direction.name() == text)
            .ok_or_else(|| format!("`{text}` is no direction: expected regressed or improved"))
    }
}
