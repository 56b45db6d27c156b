//! [`ImportRequest`]: another tool's file for the server, with the run of its results.

use crate::{RunReport, Slug};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use utoipa::ToSchema;

/// The longest name of a file, in bytes.
pub const FILE_NAME_BYTES_MAX: usize = 255;

/// Another tool's file, and the run to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportRequest {
    /// The run as a report without results: they are in the file.
    pub report: RunReport,
    /// The file.
    pub file: ImportedFile,
}

/// A file of another tool, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedFile {
    /// The file name: `results.json`.
    pub name: String,
    /// The format: `google-benchmark`. Absent: detected from the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Slug>,
    /// The unit of its times, if the format does not state it: `us` for a log of `HdrHistogram`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<TimeUnit>,
    /// Its bytes, in base64.
    pub base64: String,
}

/// A unit of times.
///
/// ```
/// use roundtrip_wire::import::TimeUnit;
/// let unit: TimeUnit = "us".parse().unwrap();
/// assert_eq!((unit.nanoseconds(), unit.to_string()), (1_000, "us".to_owned()));
/// assert!("minutes".parse::<TimeUnit>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum TimeUnit {
    /// 10^-9 seconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// 10^-6 seconds.
    #[serde(rename = "us")]
    Microseconds,
    /// 10^-3 seconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
}

/// A text is not a [`TimeUnit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a unit of time: ns, us, ms or s")]
pub struct InvalidTimeUnit;

impl TimeUnit {
    /// All units, from the shortest to the longest.
    pub const ALL: [Self; 4] = [Self::Nanoseconds, Self::Microseconds, Self::Milliseconds, Self::Seconds];

    /// Its symbol: `ns`, `us`, `ms` or `s`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }

    /// Its length in nanoseconds.
    pub fn nanoseconds(self) -> u64 {
        match self {
            Self::Nanoseconds => 1,
            Self::Microseconds => 1_000,
            Self::Milliseconds => 1_000_000,
            Self::Seconds => 1_000_000_000,
        }
    }
}

impl FromStr for TimeUnit {
    type Err = InvalidTimeUnit;

    fn from_str(symbol: &str) -> Result<Self, InvalidTimeUnit> {
        Self::ALL.into_iter().find(|unit| unit.as_str() == symbol).ok_or(InvalidTimeUnit)
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
