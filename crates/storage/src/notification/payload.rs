//! [`Message`]: the content of a notification, as sent to webhooks. `docs/reference/webhook.md` documents it;
//! a test checks the example there against these types.

use super::Event;
use crate::regression::RegressionKind;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The version of this format. New fields do not change it. No field is removed or changes its meaning.
pub const VERSION: u32 = 1;
/// The maximum number of regressions listed in a message.
pub const LISTED_MAX: usize = 50;

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The version of this format.
    pub version: u32,
    /// Its id, the same for each attempt to send it.
    pub message_id: Uuid,
    /// The event.
    pub event: Topic,
    /// The time of composition.
    pub created_at: DateTime<Utc>,
    /// The project.
    pub project: String,
    /// The page that lists all of them.
    pub url: String,
    /// The page with the settings of the channel.
    pub settings_url: String,
    /// The number of regressions or machines; there may be more than are listed.
    pub count: usize,
    /// The regressions, oldest first.
    pub regressions: Vec<RegressionItem>,
    /// The machines.
    pub machines: Vec<MachineItem>,
}

/// The topic of a message.
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
    /// A test.
    Test,
}

/// A regression, or an improvement, in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionItem {
    /// Its number.
    pub regression_id: i64,
    /// Its page.
    pub url: String,
    /// Series that changed.
    pub series_count: i64,
    /// Machines with these changes.
    pub machines: Vec<String>,
    /// Whether one commit is the cause, or small steps add up. Messages stored by a previous version lack it.
    #[serde(default)]
    pub kind: RegressionKind,
    /// The largest of the changes, as a share: 0.2 for 20 % slower.
    pub worst_change: Option<f64>,
    /// The newest commit that was measured before all of its changes. It is not a suspect. For a drift, the commit at
    /// which the level before it began.
    pub after_commit: CommitItem,
    /// The last suspect commit, or the last one of a drift.
    pub until_commit: CommitItem,
    /// The number of suspect commits, or the commits of a drift.
    pub commit_count: i64,
    /// The commit that brought it back to the baseline.
    pub fixed_by_commit: Option<CommitItem>,
    /// The cause that accounts for most of the change, if a paired comparison explained it. Messages stored by a previous
    /// version lack it.
    #[serde(default)]
    pub finding: Option<String>,
}

/// A commit in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitItem {
    /// Full object name.
    pub sha: String,
    /// First line of the message.
    pub subject: String,
    /// Name of the author.
    pub author: String,
}

/// A machine in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineItem {
    /// Its name.
    pub machine: String,
    /// The problem, in words that follow its name.
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
