//! Who may do what, as far as it is stored, and which project a thing belongs to.
//!
//! # Codemap
//! - `role`, `scope`, `kind`: the words of roles, of scopes and of kinds of tokens.
//! - `sight`: which projects and tokens someone may see. [`owner`]: which project a thing belongs to.
//! - [`secret`]: the form of tokens and of what a cookie holds.

mod kind;
pub mod owner;
mod role;
mod scope;
pub mod secret;
mod sight;

pub use kind::TokenKind;
pub use role::Role;
pub use scope::Scope;
pub use secret::Secret;
pub use sight::{Account, Binding, ManagedToken, Sight, TokenSight};

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How long a session may be idle.
pub const SESSION_IDLE: TimeDelta = TimeDelta::days(7);
/// How long a session lasts at most.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);

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
