//! Faults to inject.

use std::time::Duration;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// 403 for the secondary limit: retry after this many seconds.
    SecondaryLimit {
        /// Seconds to wait; without a value, the header is missing.
        retry_after_seconds: Option<u64>,
    },
    /// 429: retry after this many seconds.
    TooManyRequests {
        /// Seconds to wait.
        retry_after_seconds: u64,
    },
    /// 403 for the primary limit, which resets after this many seconds.
    PrimaryLimit {
        /// Seconds to wait.
        reset_seconds: i64,
    },
    /// Another status.
    Status(u16),
    /// The connection is cut before the request is processed.
    CutBefore,
    /// The connection is cut after the request is processed.
    CutAfter,
    /// The response takes this many milliseconds.
    Slow(u64),
}

/// A planned fault: which of the next requests fail.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Plan {
    /// The method; empty means any.
    #[serde(default)]
    pub method: String,
    /// Text that the path must contain.
    #[serde(default)]
    pub path: String,
    /// The fault.
    pub fault: Fault,
    /// The number of requests that fail.
    #[serde(default = "once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

impl Plan {
    pub(crate) fn matches(&self, method: &str, path: &str) -> bool {
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
