//! How this GitHub can fail.

use std::time::Duration;

/// A failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// 403 of the secondary rate limit, with `retry-after` in seconds.
    SecondaryLimit {
        /// In how many; the header is missing when none is given.
        retry_after_seconds: Option<u64>,
    },
    /// 429, with `retry-after` in seconds.
    TooManyRequests {
        /// In how many.
        retry_after_seconds: u64,
    },
    /// 403 of the primary rate limit, which resets after this many seconds.
    PrimaryLimit {
        /// In how many.
        reset_seconds: i64,
    },
    /// Another status.
    Status(u16),
    /// The connection is cut before anything happens.
    CutBefore,
    /// The connection is cut after it happened.
    CutAfter,
    /// Delays the answer by milliseconds.
    Slow(u64),
}

/// Which requests fail next.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Plan {
    /// Of this method; of any when it is empty.
    #[serde(default)]
    pub method: String,
    /// A fragment of the path.
    #[serde(default)]
    pub path: String,
    /// How.
    pub fault: Fault,
    /// How often.
    #[serde(default = "once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

impl Plan {
    pub(crate) fn meets(&self, method: &str, path: &str) -> bool {
        self.times > 0 && (self.method.is_empty() || self.method == method) && path.contains(&self.path)
    }
}

impl Fault {
    pub(crate) fn delay(self) -> Duration {
        match self {
            Self::Slow(milliseconds) => Duration::from_millis(milliseconds),
            _ => Duration::ZERO,
        }
    }
}
