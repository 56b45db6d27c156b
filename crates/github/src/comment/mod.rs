//! Texts for a pull request: one comment and one check. Pure functions of a [`PullRequestReport`].
//!
//! # Codemap
//! - [`PullRequestReport`]: the input. `state`: its overall result, and whether it deserves a comment.
//! - `body`: the comment. `check`: the check. `text`: numbers and user text in Markdown.

mod body;
mod check;
mod state;
mod text;

pub use body::{body, marker, summary};
pub use check::{check, name as check_name};
pub use state::State;

use chrono::TimeDelta;
use roundtrip_domain::comparison::Verdict;
use roundtrip_wire::movement::Movement;
use std::collections::BTreeMap;

/// The results of a pull request so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PullRequestReport {
    /// The project's name.
    pub project: String,
    /// The pull request's number.
    pub number: i64,
    /// The base commit.
    pub base_sha: String,
    /// The head commit.
    pub head_sha: String,
    /// The page of the head commit.
    pub commit_url: String,
    /// The page with the full comparison.
    pub comparison_url: String,
    /// The docs page about these comments.
    pub docs_url: String,
    /// The machines with a job for this commit.
    pub legs: Vec<Leg>,
    /// The compared series.
    pub rows: Vec<ComparedSeries>,
    /// How much machines moved between base and head, by name. Machines that measured both alternately are absent.
    pub movements: BTreeMap<String, Movement>,
    /// The method, in one line.
    pub methodology: String,
    /// Whether it comes from a fork: never a base, never an alert.
    pub is_quarantined: bool,
    /// The acknowledgement of a slowdown, if any.
    pub acknowledgement: Option<Acknowledgement>,
    /// Whether the check fails when something is slower.
    pub fails_on_regression: bool,
}

/// One machine's part in measuring the pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Its name.
    pub machine: String,
    /// Its state.
    pub state: LegState,
    /// The reason for the state, if there is one.
    pub reason: Option<String>,
    /// How long the finished job took.
    pub took: Option<TimeDelta>,
}

/// The state of a machine's job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegState {
    /// The job is done.
    Measured,
    /// The job is done without a measurement, because base and head run the same programs.
    Identical,
    /// The job is queued or running.
    Waiting,
    /// The job failed.
    Failed,
    /// The agent does not respond.
    Offline,
}

/// A series that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedSeries {
    /// The transport.
    pub transport: String,
    /// Bytes of a message, if the case has one size.
    pub message_bytes: Option<u64>,
    /// The rest of the case, in words.
    pub case: String,
    /// The statistic: `p50` or `p99`.
    pub metric: String,
    /// The machine.
    pub machine: String,
    /// Whether it is a time, so that worse means slower.
    pub is_time: bool,
    /// The base's value, with its unit.
    pub base: Option<String>,
    /// The head's value, with its unit.
    pub head: Option<String>,
    /// The relative change from base to head.
    pub change: Option<f64>,
    /// The 95 % interval of the change.
    pub interval: Option<(f64, f64)>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is inconclusive, in a sentence; none if it is not.
    pub undecided: Option<String>,
    /// The page of the series.
    pub url: Option<String>,
    /// The smallest slowdown that 90 % of comparisons would report, as a share.
    pub detectable_change: Option<f64>,
    /// The cause that accounts for most of the change, if the job explained it.
    pub finding: Option<String>,
}

/// A user's statement that a slowdown is intended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The user's login.
    pub by: String,
    /// The reason given.
    pub reason: String,
}

#[cfg(test)]
mod tests;
