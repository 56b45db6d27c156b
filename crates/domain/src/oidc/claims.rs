//! [`Claims`]: what the token of a job says.

use serde::{Deserialize, Deserializer};

/// What the token of a job of GitHub Actions says, as far as something follows from it. Issuer and audience have been
/// checked before.
#[derive(Clone, Debug, Deserialize)]
pub struct Claims {
    /// Its identity: no two are alike.
    pub jti: String,
    /// When it was made, in seconds since 1970.
    pub iat: u64,
    /// When it ceases to be valid, in seconds since 1970.
    pub exp: u64,
    /// The repository's name. It can change hands, so it is for people.
    pub repository: String,
    /// The repository's number.
    #[serde(deserialize_with = "number")]
    pub repository_id: i64,
    /// The number of whoever owns it.
    #[serde(deserialize_with = "number")]
    pub repository_owner_id: i64,
    /// The workflow's file, and the ref that it was read from.
    pub workflow_ref: String,
    /// What the workflow runs for.
    pub event_name: String,
    /// The commit that it runs for.
    pub sha: String,
    /// The ref that it runs for.
    #[serde(rename = "ref")]
    pub git_ref: String,
    /// The environment that the job names.
    #[serde(default)]
    pub environment: Option<String>,
}

/// Events whose workflows run what is in the repository already, or what a member has put there. A workflow for a pull
/// request may run what a stranger wrote, and no claim says whether it does; others run for what strangers say.
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
    /// Whether strangers cannot have a part in what the job does.
    pub fn is_of_trusted_event(&self) -> bool {
        TRUSTED_EVENTS.contains(&self.event_name.as_str())
    }
}

/// GitHub writes numbers as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| serde::de::Error::custom(format!("`{text}` is no number")))
}
