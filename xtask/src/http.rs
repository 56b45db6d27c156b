//! Asking a server of this machine.

use anyhow::{Context, Result};
use std::time::Duration;

/// Long enough for a busy machine; a server that hangs must not hang this program.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The body that a GET of `url` answers.
///
/// # Errors
/// Nothing answers in time, or with another status than success.
pub(crate) fn get(url: &str) -> Result<String> {
    get_within(TIMEOUT, url)
}

/// The same with less patience, for an address that may belong to anything.
///
/// # Errors
/// Nothing answers in time, or with another status than success.
pub(crate) fn get_within(timeout: Duration, url: &str) -> Result<String> {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(timeout)).build().into();
    agent
        .get(url)
        .call()
        .and_then(|mut response| response.body_mut().read_to_string())
        .with_context(|| format!("{url} does not answer"))
}
