//! [`Claims`]: the claims of a job's token.

use serde::{Deserialize, Deserializer};

/// The used claims of a GitHub Actions job token. Issuer and audience are already verified.
#[derive(Clone, Debug, Deserialize)]
pub struct Claims {
    /// Its unique id.
    pub jti: String,
    /// When it was issued, in seconds since 1970.
    pub iat: u64,
    /// When it expires, in seconds since 1970.
    pub exp: u64,
    /// The repository's name, for display only: another owner can take it over.
    pub repository: String,
    /// The repository's number.
    #[serde(deserialize_with = "number")]
    pub repository_id: i64,
    /// The id of the repository's owner.
    #[serde(deserialize_with = "number")]
    pub repository_owner_id: i64,
    /// The workflow's file, and the ref that it was read from.
    pub workflow_ref: String,
    /// The event that triggered the workflow.
    pub event_name: String,
    /// The commit that triggered it.
    pub sha: String,
    /// The ref that triggered it.
    #[serde(rename = "ref")]
    pub git_ref: String,
    /// The environment of the job.
    #[serde(default)]
    pub environment: Option<String>,
}

/// Events whose workflows only run code from the repository or its members. Workflows for pull requests can run code
/// from forks, which no claim shows. Outsiders can trigger other events, for example by a comment.
const TRUSTED_EVENTS: [&str; 7] = [
    "merge_group",
    "push",
    "release",
    "repository_dispatch",
    "schedule",
    "workflow_dispatch",
    "workflow_run",
];

impl Claims {
    /// Whether the job runs no untrusted code.
    pub fn has_trusted_event(&self) -> bool {
        TRUSTED_EVENTS.contains(&self.event_name.as_str())
    }
}

/// GitHub sends numbers as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| serde::de::Error::custom(format!("`{text}` is not a number")))
}
