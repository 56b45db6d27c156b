//! What is said on a pull request: one comment, one check, one summary of a job. Pure: from what is known of the pull request to
//! text, the same for the same.
//!
//! # Codemap
//! - [`PullRequestReport`]: what is known. `state`: what it comes to, and whether it is worth a comment.
//! - `body`: the comment. `check`: the check. `text`: numbers and foreign words in Markdown.

mod body;
mod check;
mod state;
mod text;

pub use body::{body, marker, summary};
pub use check::{check, name as check_name};
pub use state::State;

use roundtrip_domain::comparison::Verdict;

/// What is known of a pull request that was measured, or is being measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PullRequestReport {
    /// The project's name.
    pub project: String,
    /// The pull request's number.
    pub number: i64,
    /// The commit that it is compared with.
    pub base_sha: String,
    /// Its newest commit.
    pub head_sha: String,
    /// The page with all of the comparison.
    pub comparison_url: String,
    /// The page that says how to read it.
    pub docs_url: String,
    /// The machines that were asked.
    pub legs: Vec<Leg>,
    /// What was compared.
    pub rows: Vec<Row>,
    /// How it was measured, in one line.
    pub methodology: String,
    /// Whether it comes from a fork, so that it is never a base and never an alert.
    pub is_quarantined: bool,
    /// Who said that what is slower is meant to be.
    pub acknowledgement: Option<Acknowledgement>,
    /// Whether the project wants its check to fail when something is slower.
    pub fails_on_regression: bool,
}

/// A machine that was asked to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Its name.
    pub machine: String,
    /// How far it is.
    pub state: LegState,
    /// Why, where there is something to say.
    pub reason: Option<String>,
}

/// How far a machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegState {
    /// It has measured.
    Measured,
    /// It is expected to.
    Waiting,
    /// It could not.
    Failed,
    /// It does not answer.
    Offline,
}

/// A series that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The transport.
    pub transport: String,
    /// Bytes of a message, if the case has one size.
    pub message_bytes: Option<u64>,
    /// What else the case is.
    pub case: String,
    /// Which figure: `p50`.
    pub metric: String,
    /// The machine.
    pub machine: String,
    /// The base's figure.
    pub base_ns: Option<f64>,
    /// The head's figure.
    pub head_ns: Option<f64>,
    /// How much larger the head's is, as a share.
    pub change: Option<f64>,
    /// The 95 % interval of that.
    pub interval: Option<(f64, f64)>,
    /// What is said of it.
    pub verdict: Verdict,
}

/// Somebody's word that a change is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

#[cfg(test)]
mod tests;
