//! Asking a server of this machine.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

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

/// The same of somebody with a token.
///
/// # Errors
/// Nothing answers in time, or with another status than success.
pub(crate) fn get_as(url: &str, token: &str) -> Result<String> {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).build().into();
    agent
        .get(url)
        .header("authorization", format!("Bearer {token}"))
        .call()
        .and_then(|mut response| response.body_mut().read_to_string())
        .with_context(|| format!("{url} does not answer"))
}

/// The status and the body of the answer to a POST of JSON, whatever they are.
///
/// # Errors
/// Nothing answers in time.
pub(crate) fn post(url: &str, token: Option<&str>, body: &Value) -> Result<(u16, String)> {
    let authorization = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = authorization.iter().map(|value| ("authorization", value.as_str())).collect();
    post_with(url, &headers, body)
}

/// The same with these headers.
///
/// # Errors
/// Nothing answers in time.
pub(crate) fn post_with(url: &str, headers: &[(&str, &str)], body: &Value) -> Result<(u16, String)> {
    let config = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).http_status_as_error(false);
    let agent: ureq::Agent = config.build().into();
    let request = agent.post(url).header("content-type", "application/json");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let read = |mut answer: ureq::http::Response<ureq::Body>| {
        let text = answer.body_mut().read_to_string()?;
        Ok((answer.status().as_u16(), text))
    };
    request.send(body.to_string()).and_then(read).with_context(|| format!("{url} does not answer"))
}

/// A port that nobody listens at now: for who must be known before it listens.
///
/// # Errors
/// There is none.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    Ok(listener.local_addr().context("no port is free")?.port())
}

/// Waits until a server serves who proves this: after failed sign-ins from this machine it refuses everybody here for some
/// seconds, and says for how many.
///
/// # Errors
/// Nothing answers, with another status than success or 429, or within the time.
pub(crate) fn wait_until_admitted(url: &str, authorization: &str) -> Result<()> {
    const TOO_MANY_REQUESTS: u16 = 429;
    let config = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).http_status_as_error(false);
    let agent: ureq::Agent = config.build().into();
    let patience = Instant::now() + 6 * TIMEOUT;
    loop {
        let answer = agent.get(url).header("authorization", authorization).call();
        let answer = answer.with_context(|| format!("{url} does not answer"))?;
        if answer.status().is_success() {
            return Ok(());
        }
        let seconds = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        match (answer.status().as_u16(), seconds) {
            (TOO_MANY_REQUESTS, Some(seconds)) => {
                ensure!(Instant::now() < patience, "{url} refuses who asks, again and again");
                std::thread::sleep(Duration::from_secs(seconds));
            }
            (status, _) => bail!("{url} answers with status {status}"),
        }
    }
}
