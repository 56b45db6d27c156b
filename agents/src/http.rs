//! Requests to a server, and the meaning of its errors.

use crate::failure::Failure;
use crate::output;
use backon::{BackoffBuilder, BlockingRetryable, ExponentialBackoff, ExponentialBuilder};
use roundtrip_wire::{Problem, problem::PROBLEM_MEDIA_TYPE};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use ureq::http::{Request, Response};
use ureq::middleware::MiddlewareNext;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Body, SendBody};

/// PEM file with trusted certificates, used instead of Mozilla's list; the same variable as in other
/// programs. Labs often have their own authority.
const TRUSTED_FILE: &str = "SSL_CERT_FILE";

/// The largest answers have 20,000 points, in 17 MB.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

static TRUSTED: LazyLock<RootCerts> = LazyLock::new(|| {
    let Some(file) = std::env::var_os(TRUSTED_FILE).filter(|file| !file.is_empty()) else {
        return RootCerts::WebPki;
    };
    trusted_in(Path::new(&file)).unwrap_or_else(|error| {
        // Printed once. Connections then use the default list.
        eprintln!("warning: {TRUSTED_FILE}: {error}; using Mozilla's root certificates instead");
        RootCerts::WebPki
    })
});

fn trusted_in(file: &Path) -> Result<RootCerts, String> {
    let pem = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let found = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
        Ok(_) => None,
        Err(error) => Some(Err(format!("{} is invalid: {error}", file.display()))),
    });
    let certificates: Vec<_> = found.collect::<Result<_, _>>()?;
    if certificates.is_empty() {
        return Err(format!("no certificate in {}: expected PEM", file.display()));
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

pub(crate) fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .tls_config(TlsConfig::builder().root_certs(TRUSTED.clone()).build())
        .http_status_as_error(false)
        .timeout_global(Some(timeout))
        .middleware(print_request)
        .user_agent(concat!("roundtrip/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Without headers and bodies, which may have secrets.
fn print_request(
    request: Request<SendBody<'_>>,
    next: MiddlewareNext<'_>,
) -> Result<Response<Body>, ureq::Error> {
    let (began, method, url) = (Instant::now(), request.method().clone(), request.uri().clone());
    let answer = next.handle(request);
    let result = match &answer {
        Ok(response) => response.status().to_string(),
        Err(error) => error.to_string(),
    };
    output::detail(began, || format!("{method} {url}: {result}"));
    answer
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) enum Refusal {
    /// Retry later; the delay is the server's, if it sent one.
    Temporary(String, Option<Duration>),
    /// A retry would fail the same way.
    Final(String),
    Token(String),
}

#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) message: String,
    retry_after: Option<Duration>,
}

impl Refused {
    pub(crate) fn read(url: &str, response: &mut Response<Body>) -> Self {
        let status = response.status().as_u16();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok().map(str::to_owned))
        };
        let retry_after = header("retry-after").and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let is_problem = header("content-type").is_some_and(|kind| kind.starts_with(PROBLEM_MEDIA_TYPE));
        let text = response.body_mut().read_to_string().unwrap_or_default();
        let problem = serde_json::from_str::<Problem>(&text).ok().filter(|_| is_problem);
        let message = match &problem {
            Some(problem) => {
                let at = problem.pointer.as_ref().map(|pointer| format!(" at {pointer}")).unwrap_or_default();
                format!("the server returned {status} {}{at}: {}", problem.code, problem.detail)
            }
            None => format!("{url} returned {status}. Is it a Roundtrip server?"),
        };
        Self { status, code: problem.map(|problem| problem.code).unwrap_or_default(), message, retry_after }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Token(message) => Self::Authentication(message),
            Refusal::Final(message) | Refusal::Temporary(message, _) => Self::Other(message),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused.status {
            401 | 403 => Self::Token(refused.message),
            408 | 429 | 500.. => Self::Temporary(refused.message, refused.retry_after),
            _ => Self::Final(refused.message),
        }
    }
}

pub(crate) fn unanswered(url: &str, error: &ureq::Error) -> Refusal {
    match error {
        ureq::Error::BadUri(_) => Refusal::Final(format!("invalid server URL `{url}`: {error}")),
        error => Refusal::Temporary(format!("no response from {url}: {error}"), None),
    }
}

pub(crate) fn get(url: &str, timeout: Duration, token: Option<&str>) -> Result<Response<Body>, Refusal> {
    let mut request = agent(timeout).get(url);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    request.call().map_err(|error| unanswered(url, &error))
}

pub(crate) fn post(
    url: &str,
    timeout: Duration,
    token: Option<&str>,
    body: &impl Serialize,
) -> Result<Response<Body>, Refusal> {
    let mut request = agent(timeout).post(url).header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let json = serde_json::to_vec(body)
        .map_err(|error| Refusal::Final(format!("cannot encode the request: {error}")))?;
    request.send(&json[..]).map_err(|error| unanswered(url, &error))
}

pub(crate) fn parse<A: DeserializeOwned>(url: &str, response: &mut Response<Body>) -> Result<A, Refusal> {
    let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX);
    let text = body.read_to_string().map_err(|error| unanswered(url, &error))?;
    serde_json::from_str(&text)
        .map_err(|error| Refusal::Temporary(format!("unexpected response from {url}: {error}"), None))
}

/// Like [`read`], for a request that may have failed.
pub(crate) fn answer<A: DeserializeOwned>(
    url: &str,
    sent: Result<Response<Body>, ureq::Error>,
) -> Result<A, Refusal> {
    read(url, sent.map_err(|error| unanswered(url, &error))?)
}

/// The value in a response, unless the response is an error or has no value.
pub(crate) fn read<A: DeserializeOwned>(url: &str, mut response: Response<Body>) -> Result<A, Refusal> {
    if response.status().is_success() {
        return parse(url, &mut response);
    }
    Err(Refused::read(url, &mut response).into())
}

/// Repeats a failed attempt up to four times, if the failure is temporary.
pub(crate) fn with_retries<T>(attempt: impl FnMut() -> Result<T, Refusal>) -> Result<T, Refusal> {
    // A busy server sends a delay, which overrides our schedule.
    let asked = Rc::new(Cell::new(None));
    let requested = Rc::clone(&asked);
    attempt
        .retry(
            ExponentialBuilder::default()
                .with_min_delay(Duration::from_millis(500))
                .with_max_times(4)
                .with_jitter(),
        )
        .when(|refusal| matches!(refusal, Refusal::Temporary(..)))
        .notify(|refusal, _| {
            if let Refusal::Temporary(_, after) = refusal {
                requested.set(*after);
            }
        })
        .sleep(move |delay: Duration| std::thread::sleep(delay.max(asked.take().unwrap_or_default())))
        .call()
}

/// Endless delays that grow from `min` to `max`, each with jitter of up to its own length, so that agents
/// that failed at the same time do not retry at the same time.
pub(crate) fn growing_pauses(min: Duration, max: Duration) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(min)
        .with_max_delay(max)
        .with_jitter()
        .without_max_times()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_only_a_valid_certificate_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trusted.pem");
        let refusal = || trusted_in(&file).unwrap_err();
        assert!(refusal().starts_with(&format!("cannot read {}", file.display())));
        std::fs::write(&file, "nothing").unwrap();
        assert!(refusal().starts_with(&format!("no certificate in {}", file.display())));
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(matches!(trusted_in(&file), Ok(RootCerts::Specific(found)) if found.len() == 1));
    }
}
