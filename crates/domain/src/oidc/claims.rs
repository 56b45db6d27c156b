//! [`Claims`]: the claims of a job's token.

use roundtrip_storage::access::{Scope, TokenKind};
use serde::{Deserialize, Deserializer};

/// The used claims of a GitHub Actions job token. Issuer and audience are already verified.
#[derive(Clone, Debug, Deserialize)]
pub struct Claims {
    /// Its unique id.
    #[serde(deserialize_with = "text")]
    pub jti: String,
    /// When it was issued, in seconds since 1970.
    pub iat: u64,
    /// When it expires, in seconds since 1970.
    pub exp: u64,
    /// The repository's name, for display only: another owner can take it over.
    #[serde(deserialize_with = "text")]
    pub repository: String,
    /// The repository's number.
    #[serde(deserialize_with = "number")]
    pub repository_id: i64,
    /// The id of the repository's owner.
    #[serde(deserialize_with = "number")]
    pub repository_owner_id: i64,
    /// The workflow's file, and the ref that it was read from.
    #[serde(deserialize_with = "text")]
    pub workflow_ref: String,
    /// The event that triggered the workflow.
    #[serde(deserialize_with = "text")]
    pub event_name: String,
    /// The commit that triggered it.
    #[serde(deserialize_with = "text")]
    pub sha: String,
    /// The ref that triggered it.
    #[serde(rename = "ref", deserialize_with = "text")]
    pub git_ref: String,
    /// The environment of the job.
    #[serde(default, deserialize_with = "optional_text")]
    pub environment: Option<String>,
}

/// Events whose workflows only run code from the repository or its members. Workflows for pull requests can run code
/// from forks, which no claim shows. Outsiders can trigger other events, for example by a comment.
const TRUSTED_EVENTS: [&str; 6] =
    ["merge_group", "push", "release", "repository_dispatch", "schedule", "workflow_dispatch"];
/// An event whose workflow only runs code from the repository, but may handle results of code from a fork: no claim
/// shows which workflow it follows.
const FOLLOWING_EVENT: &str = "workflow_run";

impl Claims {
    /// The scopes of a token for the job; none if the job can run untrusted code.
    pub fn scopes(&self) -> Option<&'static [Scope]> {
        match self.event_name.as_str() {
            FOLLOWING_EVENT => Some(&[Scope::IngestQuarantined]),
            event => TRUSTED_EVENTS.contains(&event).then_some(TokenKind::Ci.default_scopes()),
        }
    }
}

/// GitHub sends numbers as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| serde::de::Error::custom(format!("`{text}` is not a number")))
}

/// Text that PostgreSQL can store.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    without_nul(String::deserialize(deserializer)?)
}

fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)?.map(without_nul).transpose()
}

fn without_nul<E: serde::de::Error>(text: String) -> Result<String, E> {
    if text.contains('\0') { Err(E::custom("expected text without a NUL character")) } else { Ok(text) }
}
