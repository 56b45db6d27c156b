//! What a channel can be told of, and how.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a channel is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ChannelKind)]
pub enum Kind {
    /// By an incoming webhook of Slack, or of whoever takes what Slack takes.
    Slack,
    /// By a signed request of HTTP.
    Webhook,
    /// By e-mail.
    Email,
}

/// What happens that a channel can be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ChannelEvent)]
pub enum Event {
    /// A regression was found, and a commit is blamed for it.
    Regressed,
    /// A regression is fixed, as was measured.
    Fixed,
    /// Something became faster, by a commit.
    Improved,
    /// Something is the matter with a machine: it became suspect.
    Machine,
}

/// A text that stands for none of the words that were expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no word of notifications")]
pub struct UnknownWord(String);

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Slack, Self::Webhook, Self::Email];

    /// As it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Webhook => "webhook",
            Self::Email => "email",
        }
    }
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Regressed, Self::Fixed, Self::Improved, Self::Machine];

    /// As it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Fixed => "fixed",
            Self::Improved => "improved",
            Self::Machine => "machine",
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| UnknownWord(text.to_owned()))
    }
}

impl std::str::FromStr for Event {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|event| event.as_str() == text);
        found.ok_or_else(|| UnknownWord(text.to_owned()))
    }
}
