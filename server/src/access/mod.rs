//! Who may do what: pure decisions, without SQL and without HTTP.
//!
//! # Codemap
//! - [`role`]: roles, and the one table that says which of them an action needs.
//! - [`scope`]: what a token is for; [`kind`]: who uses it.
//! - [`caller`]: who asks, and every decision about it.
//! - [`secret`]: the form of tokens and of what a cookie holds.

pub mod caller;
pub mod kind;
pub mod refusal;
pub mod role;
pub mod scope;
pub mod secret;

pub use caller::{Account, Binding, Caller, Proof, Sight};
pub use kind::TokenKind;
pub use refusal::Refusal;
pub use role::{Action, Role};
pub use scope::Scope;
pub use secret::Secret;

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How long a session may be idle.
pub const SESSION_IDLE: TimeDelta = TimeDelta::days(7);
/// How long a session lasts at most.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);
/// How long a token is valid unless asked otherwise.
pub const TOKEN_DAYS_DEFAULT: u32 = 90;
/// The longest that can be asked for.
pub const TOKEN_DAYS_MAX: u32 = 3_650;
/// How long a token is valid that a job got for its own.
pub const EXCHANGED_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// How long the old secret of a rotated token is accepted unless asked otherwise.
pub const OVERLAP_HOURS_DEFAULT: u32 = 24;
/// The longest that can be asked for.
pub const OVERLAP_HOURS_MAX: u32 = 7 * 24;

/// Who may read a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everyone who may read on this server.
    #[default]
    Public,
    /// Its members.
    Private,
}

impl Visibility {
    /// As it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// A text that stands for none of the words that were expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is unknown: expected {expected}")]
pub struct UnknownWord {
    /// What was given.
    pub text: String,
    /// All words.
    pub expected: String,
}

impl std::str::FromStr for Visibility {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        word(text, &[Self::Public, Self::Private], |visibility| visibility.as_str())
    }
}

/// The value whose word this is.
fn word<T: Copy>(text: &str, all: &[T], as_str: impl Fn(T) -> &'static str) -> Result<T, UnknownWord> {
    all.iter().copied().find(|value| as_str(*value) == text).ok_or_else(|| UnknownWord {
        text: text.to_owned(),
        expected: all.iter().map(|value| as_str(*value)).collect::<Vec<_>>().join(", "),
    })
}
