//! Requests to a server on this machine.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

/// Long enough for a busy machine; a server that hangs must not hang this program.
const TIMEOUT: Duration = Duration::from_secs(10);

fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).build().into()
}

/// The body of a successful answer to a GET.
pub(crate) fn get(url: &str) -> Result<String> {
    get_within(TIMEOUT, url)
}

/// The same with less patience, for an address that may belong to anything.
pub(crate) fn get_within(timeout: Duration, url: &str) -> Result<String> {
    let mut response = agent(timeout).get(url).call().with_context(|| format!("{url} does not answer"))?;
    ensure!(response.status().is_success(), "{url} answers with status {}", response.status().as_u16());
    response.body_mut().read_to_string().with_context(|| format!("{url} does not answer"))
}

/// The JSON of a successful answer to a GET.
pub(crate) fn json(url: &str) -> Result<Value> {
    parse(url, &get(url)?)
}

/// The JSON of an answer.
pub(crate) fn parse(url: &str, answer: &str) -> Result<Value> {
    serde_json::from_str(answer).with_context(|| format!("{url} answers with {answer:?}: expected JSON"))
}

/// The JSON of the answer to a POST of JSON, which must have this status.
pub(crate) fn post(url: &str, token: Option<&str>, body: &Value, expected: u16) -> Result<Value> {
    let authorization = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = authorization.iter().map(|value| ("authorization", value.as_str())).collect();
    let (status, answer) = post_with(url, &headers, body)?;
    ensure!(status == expected, "{url} answers with status {status}: {answer}");
    parse(url, &answer)
}

/// The status and the body of the answer to a POST of JSON, whatever they are.
pub(crate) fn post_with(url: &str, headers: &[(&str, &str)], body: &Value) -> Result<(u16, String)> {
    let request = agent(TIMEOUT).post(url).header("content-type", "application/json");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let read = |mut answer: ureq::http::Response<ureq::Body>| {
        let text = answer.body_mut().read_to_string()?;
        Ok((answer.status().as_u16(), text))
    };
    request.send(body.to_string()).and_then(read).with_context(|| format!("{url} does not answer"))
}

/// A port on which nothing listens now, for an address that must be known before the server starts.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    Ok(listener.local_addr().context("no port is free")?.port())
}

/// Waits until a server serves this client: after failed sign-ins it refuses all of this machine's for some seconds, and
/// says for how many.
pub(crate) fn wait_until_admitted(url: &str, authorization: &str) -> Result<()> {
    const TOO_MANY_REQUESTS: u16 = 429;
    let end = Instant::now() + 6 * TIMEOUT;
    loop {
        let answer = agent(TIMEOUT).get(url).header("authorization", authorization).call();
        let answer = answer.with_context(|| format!("{url} does not answer"))?;
        if answer.status().is_success() {
            return Ok(());
        }
        let seconds = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        match (answer.status().as_u16(), seconds) {
            (TOO_MANY_REQUESTS, Some(seconds)) => {
                ensure!(
                    Instant::now() < end,
                    "{url} still refuses requests after {} s",
                    6 * TIMEOUT.as_secs()
                );
                std::thread::sleep(Duration::from_secs(seconds));
            }
            (status, _) => bail!("{url} answers with status {status}"),
        }
    }
}
