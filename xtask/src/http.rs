//! Requests to a server on this machine.

use crate::interrupt;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

/// Long enough for a busy machine. A hanging server must not block this program.
const TIMEOUT: Duration = Duration::from_secs(10);

fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).build().into()
}

/// The body of a successful answer to a GET.
pub(crate) fn get(url: &str) -> Result<String> {
    get_within(TIMEOUT, url)
}

/// Like [`get`], with another timeout, for an address that may belong to any program.
pub(crate) fn get_within(timeout: Duration, url: &str) -> Result<String> {
    let mut response = agent(timeout).get(url).call().with_context(|| format!("no response from {url}"))?;
    ensure!(response.status().is_success(), "{url} returned status {}", response.status().as_u16());
    response.body_mut().read_to_string().with_context(|| format!("cannot read the response of {url}"))
}

/// The JSON of a successful answer to a GET.
pub(crate) fn json(url: &str) -> Result<Value> {
    parse(url, &get(url)?)
}

fn parse(url: &str, answer: &str) -> Result<Value> {
    serde_json::from_str(answer).with_context(|| format!("{url} returned {answer:?}: expected JSON"))
}

/// Posts JSON and returns the JSON answer, which must have this status.
pub(crate) fn post(url: &str, token: Option<&str>, body: &Value, expected: u16) -> Result<Value> {
    let mut request = agent(TIMEOUT).post(url).header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let mut response = request.send(body.to_string()).with_context(|| format!("no response from {url}"))?;
    let status = response.status().as_u16();
    let answer =
        response.body_mut().read_to_string().with_context(|| format!("cannot read the response of {url}"))?;
    ensure!(status == expected, "{url} returned status {status}: {answer}");
    parse(url, &answer)
}

/// A free port, for an address that must be known before the server starts.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
    Ok(listener.local_addr().context("no free port")?.port())
}

/// Waits until the server accepts this client, which it rejects for some seconds after failed sign-ins.
pub(crate) fn wait_until_accepted(url: &str, authorization: &str) -> Result<()> {
    interrupt::poll(&format!("{url} to accept this client"), 6 * TIMEOUT, Duration::from_secs(1), || {
        let answer = agent(TIMEOUT).get(url).header("authorization", authorization).call();
        match answer.with_context(|| format!("no response from {url}"))?.status().as_u16() {
            200..300 => Ok(Some(())),
            429 => Ok(None),
            status => bail!("{url} returned status {status}"),
        }
    })
}
