//! The tools that read a server, one file for each, and the types that they share.

mod advise_transport;
mod compare_commits;
mod explain;
mod find_series;
mod queue_measurement;
mod read_docs;
mod regression;
mod what_changed;

use crate::api::{Project, Query};
use crate::{Api, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tools that read a server, or queue jobs on it.
pub fn of_server(api: &Arc<dyn Api>) -> Vec<Tool> {
    vec![
        find_series::tool(api),
        what_changed::tool(api),
        compare_commits::tool(api),
        explain::tool(api),
        advise_transport::tool(api),
        queue_measurement::tool(api),
        read_docs::tool(),
    ]
}

/// What was measured.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Measured {
    /// The transport.
    transport: Transport,
    /// The case: scenario, `message_bytes`, mode (processes or threads), placement and so on. With `measure`, values are in its
    /// unit instead of nanoseconds, and its `better` states which are better. With `operations`, divide values by it: they
    /// cover so many operations.
    case: BTreeMap<String, Value>,
}

/// A transport.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Transport {
    /// Its name: `pipe`, `ring-futex`.
    slug: String,
}

/// Quantiles.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Quantiles {
    /// Median.
    p50: u64,
    /// 99 %.
    p99: u64,
}

/// A counted share.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct CountedShare {
    /// The numerator.
    count: u64,
    /// The denominator. 0: not enough data yet.
    of_count: u64,
    /// The share, from 0 to 1.
    share: Option<f64>,
    /// Its exact 95 % interval.
    interval: Option<[f64; 2]>,
}

/// How often verdicts of this project are wrong, counted on its own results.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorRates {
    /// Comparisons of a commit with itself in which any case was reported as changed.
    false_comparisons: CountedShare,
    /// Cases reported as changed in comparisons of a commit with itself.
    false_verdicts: CountedShare,
    /// Points of simulated histories without a change at which a change was reported.
    false_alarms: CountedShare,
    /// Slowdowns of known size that a comparison reported as regressed: changes that it would have seen.
    would_have_seen: Vec<Detected>,
}

/// Detection of slowdowns of one size.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Detected {
    /// The slowdown, as a share: 0.05 is 5 %.
    change: f64,
    /// How many were reported.
    found: CountedShare,
}

impl ErrorRates {
    async fn read(project: &Project<'_>) -> Result<Self, Refused> {
        #[derive(Deserialize)]
        struct Answer {
            total: Total,
        }
        #[derive(Deserialize)]
        struct Total {
            false_comparisons: CountedShare,
            comparisons: Comparisons,
            p50: History,
        }
        #[derive(Deserialize)]
        struct Comparisons {
            false_verdicts: CountedShare,
            changes: Vec<Detected>,
        }
        #[derive(Deserialize)]
        struct History {
            false_alarms: CountedShare,
        }
        let Answer { total } = project.get("error-rates", Query::default()).await?;
        Ok(Self {
            false_comparisons: total.false_comparisons,
            false_verdicts: total.comparisons.false_verdicts,
            false_alarms: total.p50.false_alarms,
            would_have_seen: total.comparisons.changes,
        })
    }
}

/// A commit.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Commit {
    /// Full SHA.
    sha: String,
    /// First line of the message.
    subject: String,
    /// Commits on the first-parent path from the root: the order of charts.
    ordinal: u64,
}

impl Commit {
    /// The commit with this SHA, or its prefix.
    async fn read(project: &Project<'_>, sha: &str) -> Result<Self, Refused> {
        #[derive(Deserialize)]
        struct Answer {
            commit: Commit,
        }
        let path = format!("commits/{}", crate::api::escaped(sha));
        let Answer { commit } = project.get(&path, Query::default()).await?;
        Ok(commit)
    }
}
