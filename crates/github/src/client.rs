//! [`Client`]: requests to GitHub's REST API. [`GitHubError`]: their errors.

use crate::{API_VERSION, agent, checked_url, send};
use anyhow::Result;
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use ureq::http::{HeaderMap, Request, StatusCode};

const TIMEOUT: Duration = Duration::from_secs(30);
/// More than a hundred of the longest comments.
const ANSWER_BYTES_MAX: u64 = 48 * 1024 * 1024;
const REQUESTS_AT_ONCE: usize = 8;
/// The shortest and the longest pause after a failure for which GitHub states no retry time.
const PAUSE_SECONDS_MIN: i64 = 60;
const PAUSE_SECONDS_MAX: i64 = 3_600;

/// A client of GitHub's REST API.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    agent: ureq::Agent,
    api_url: String,
    permits: Arc<Semaphore>,
    /// GitHub blocks clients for longer if they do not wait.
    quiet_until: Arc<Mutex<Option<DateTime<Utc>>>>,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// `GET`, `POST` or `PATCH`.
    pub method: &'static str,
    /// The path below the API's address.
    pub path: &'a str,
    /// The JWT of the App, or the token of an installation.
    pub bearer: &'a str,
    /// The body.
    pub body: Option<&'a Value>,
}

/// Why a request to GitHub failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants' messages say what the fields are")]
pub enum GitHubError {
    /// Not found, or not accessible.
    #[error("GitHub: {0} not found. Check that the App has access to it")]
    Gone(String),
    /// The token has expired.
    #[error("GitHub rejected the token: expired or revoked")]
    Unauthorized,
    /// The App lacks the permission.
    #[error("GitHub denied {what}: {message}")]
    Forbidden { what: String, message: String },
    /// A rate limit was reached.
    #[error("GitHub's rate limit is used up")]
    Limited {
        /// Its end, if known.
        until: Option<DateTime<Utc>>,
    },
    /// A retry can succeed.
    #[error("temporary error from GitHub: {0}")]
    Temporary(String),
    /// A retry cannot succeed.
    #[error("GitHub rejected {what}: status {status}, {message}")]
    Permanent { what: String, status: u16, message: String },
    /// The database does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// An object in an answer, by its id.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Numbered {
    pub(crate) id: i64,
}

/// A user or an organisation in an answer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Account {
    pub(crate) login: String,
}

/// A successful answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The body of the answer.
    body: Vec<u8>,
    /// Whether there is another page.
    pub has_next: bool,
}

impl Client {
    /// A client for the API at this address.
    ///
    /// # Errors
    /// The address is invalid.
    pub(crate) fn new(api_url: &str) -> Result<Self> {
        Ok(Self {
            agent: agent(TIMEOUT),
            api_url: checked_url(api_url)?.to_owned(),
            permits: Arc::new(Semaphore::new(REQUESTS_AT_ONCE)),
            quiet_until: Arc::default(),
        })
    }

    /// Sends a request, unless a rate limit is in effect.
    pub(crate) async fn call(&self, call: Call<'_>, now: DateTime<Utc>) -> Result<Answer, GitHubError> {
        if let Some(until) = self.quiet_until().filter(|until| now < *until) {
            return Err(GitHubError::Limited { until: Some(until) });
        }
        let _permit = self.permits.acquire().await.map_err(temporary)?;
        let mut request = Request::builder()
            .method(call.method)
            .uri(format!("{}{}", self.api_url, call.path))
            .header("accept", "application/vnd.github+json")
            .header("authorization", format!("Bearer {}", call.bearer))
            .header("x-github-api-version", API_VERSION);
        let body = call.body.map(Value::to_string).unwrap_or_default();
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        let request = request.body(body.into_bytes()).map_err(temporary)?;
        let agent = self.agent.clone();
        let answer = tokio::task::spawn_blocking(move || send(&agent, request, ANSWER_BYTES_MAX)).await;
        let answer = answer.map_err(temporary)?;
        // The error must not include the body: it can contain data of private repositories.
        let (parts, body) = answer.map_err(temporary)?.into_parts();
        if parts.status.is_success() {
            let link = parts.headers.get("link").and_then(|value| value.to_str().ok()).unwrap_or_default();
            return Ok(Answer { body, has_next: link.contains("rel=\"next\"") });
        }
        let error = refusal(&call, parts.status, &parts.headers, &body, now);
        if let GitHubError::Limited { until } = &error {
            let until = until.unwrap_or(now + TimeDelta::seconds(PAUSE_SECONDS_MIN));
            *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        }
        Err(error)
    }

    fn quiet_until(&self) -> Option<DateTime<Utc>> {
        *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answer {
    /// Parses the body.
    ///
    /// # Errors
    /// The body has an unexpected structure.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, GitHubError> {
        serde_json::from_slice(&self.body).map_err(temporary)
    }
}

/// The error of an unsuccessful response.
fn refusal(
    call: &Call<'_>,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    now: DateTime<Utc>,
) -> GitHubError {
    let what = format!("{} {}", call.method, call.path);
    let answer: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let message = answer["message"].as_str().unwrap_or("no message").to_owned();
    if let Some(until) = limited(status, headers, &message, now) {
        return GitHubError::Limited { until };
    }
    match status.as_u16() {
        401 => GitHubError::Unauthorized,
        403 => GitHubError::Forbidden { what, message },
        404 | 410 => GitHubError::Gone(call.path.to_owned()),
        // The repository was renamed. Its new name is read soon.
        301 | 307 | 308 | 408 | 500.. => GitHubError::Temporary(format!("status {}", status.as_u16())),
        status => GitHubError::Permanent { what, status, message },
    }
}

/// The end of the rate limit, if the response is one. GitHub also uses 403 for this.
fn limited(
    status: StatusCode,
    headers: &HeaderMap,
    message: &str,
    now: DateTime<Utc>,
) -> Option<Option<DateTime<Utc>>> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<i64>().ok();
    let is_spent = number("x-ratelimit-remaining") == Some(0);
    let retry_after = number("retry-after");
    let is_limited = status == StatusCode::TOO_MANY_REQUESTS
        || (status == StatusCode::FORBIDDEN
            && (is_spent || retry_after.is_some() || message.to_ascii_lowercase().contains("rate limit")));
    let pause =
        |seconds: i64| TimeDelta::try_seconds(seconds.clamp(1, PAUSE_SECONDS_MAX)).unwrap_or_default();
    let reset = number("x-ratelimit-reset").filter(|_| is_spent);
    is_limited.then(|| {
        let after = retry_after.map(|seconds| now + pause(seconds));
        after.or_else(|| reset.map(|reset| now + pause(reset - now.timestamp() + 1)))
    })
}

impl GitHubError {
    /// When to retry after a number of failures; never if retrying cannot help.
    pub fn again_at(&self, failures: i32, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Gone(_) | Self::Forbidden { .. } | Self::Permanent { .. } => None,
            Self::Limited { until: Some(until) } => Some(*until),
            Self::Limited { until: None } | Self::Unauthorized | Self::Temporary(_) | Self::Database(_) => {
                Some(now + pause(failures, rand::rng().random_range(1.0..1.25)))
            }
        }
    }

    /// Whether it counts as a failure: a rate limit does not.
    pub fn is_failure(&self) -> bool {
        !matches!(self, Self::Limited { until: Some(_) })
    }
}

fn temporary(error: impl Display) -> GitHubError {
    GitHubError::Temporary(error.to_string())
}

/// Exponential backoff with jitter.
fn pause(failures: i32, stretch: f64) -> TimeDelta {
    let doubled = PAUSE_SECONDS_MIN.saturating_mul(1 << failures.clamp(0, 10)).min(PAUSE_SECONDS_MAX);
    let stretched = Duration::from_secs(doubled.unsigned_abs()).mul_f64(stretch);
    TimeDelta::from_std(stretched).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(status: u16, headers: &[(&'static str, &str)], message: &str) -> Option<Option<i64>> {
        let now = DateTime::from_timestamp(1_000, 0).unwrap();
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let limited = limited(StatusCode::from_u16(status).unwrap(), &headers.collect(), message, now);
        limited.map(|until| until.map(|until| (until - now).num_seconds()))
    }

    #[test]
    fn rate_limits_end_by_retry_after_or_reset() {
        let reset = ("x-ratelimit-reset", "1029");
        let spent = ("x-ratelimit-remaining", "0");
        assert_eq!(until(403, &[("retry-after", "7"), spent, reset], ""), Some(Some(7)));
        assert_eq!(until(429, &[spent, reset], ""), Some(Some(30)));
        assert_eq!(until(403, &[], "You have exceeded a secondary rate limit"), Some(None));
        assert_eq!(until(403, &[("x-ratelimit-remaining", "4000"), reset], "Not yours"), None);
        assert_eq!(until(500, &[("retry-after", "7")], ""), None);
    }

    #[test]
    fn retry_delays_grow_from_a_minute_to_an_hour() {
        let seconds = |failures| pause(failures, 1.0).num_seconds();
        assert_eq!(
            [seconds(0), seconds(1), seconds(3), seconds(6), seconds(99)],
            [60, 120, 480, 3_600, 3_600]
        );
        assert!(pause(0, 1.2) > pause(0, 1.0));
    }
}
