//! [`Message`]: what is told, in the form that webhooks get. `docs/reference/webhook.md` describes it for them; a test holds
//! the example there against these types.

use super::Event;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The version of this form. Members are added without another one; none is removed or means something else.
pub const VERSION: u32 = 1;
/// A message lists so many regressions; of more it tells how many there are.
pub const LISTED_MAX: usize = 50;

/// What is told in one message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Of this form.
    pub version: u32,
    /// Its identity, the same each time that it is sent.
    pub message_id: Uuid,
    /// What happened.
    pub event: Topic,
    /// When it was composed.
    pub created_at: DateTime<Utc>,
    /// In which project.
    pub project: String,
    /// The page of all that it tells of.
    pub url: String,
    /// The page on which this can be turned off.
    pub settings_url: String,
    /// To how many regressions or machines it happened; there may be more than are listed.
    pub count: usize,
    /// To which regressions, the oldest first.
    pub regressions: Vec<Told>,
    /// To which machines.
    pub machines: Vec<ToldMachine>,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Topic {
    /// See [`Event::Regressed`].
    Regressed,
    /// See [`Event::Fixed`].
    Fixed,
    /// See [`Event::Improved`].
    Improved,
    /// See [`Event::Machine`].
    Machine,
    /// Nothing happened: somebody tries whether messages arrive.
    Test,
}

/// A regression, or an improvement, in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Its number.
    pub regression_id: i64,
    /// Its page.
    pub url: String,
    /// Series that changed.
    pub series_count: i64,
    /// Machines on which they did.
    pub machines: Vec<String>,
    /// The largest of the changes, as a share: 0.2 for 20 % slower.
    pub worst_change: Option<f64>,
    /// The newest commit that was measured before all of its changes: none of the culprits.
    pub after_commit: ToldCommit,
    /// The last of the culprits.
    pub until_commit: ToldCommit,
    /// How many commits come into question.
    pub commit_count: i64,
    /// The commit from which on all is as it was before.
    pub fixed_by_commit: Option<ToldCommit>,
}

/// A commit in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldCommit {
    /// Full object name.
    pub sha: String,
    /// First line of the message.
    pub subject: String,
    /// Name of the author.
    pub author: String,
}

/// A machine in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldMachine {
    /// Its name.
    pub machine: String,
    /// What is the matter with it, in words that follow its name.
    pub why: String,
}

impl From<Event> for Topic {
    fn from(event: Event) -> Self {
        match event {
            Event::Regressed => Self::Regressed,
            Event::Fixed => Self::Fixed,
            Event::Improved => Self::Improved,
            Event::Machine => Self::Machine,
        }
    }
}
