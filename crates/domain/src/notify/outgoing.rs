//! [`Outgoing`]: HTTP requests to the targets of channels. Maintainers of projects choose the targets, so requests only go to
//! public addresses ([`super::address`]), follow no redirects, take a few seconds at most and read a short answer.

use super::address::{NotPublic, PublicResolver};
use super::delivery::Failure;
use chrono::{DateTime, Utc};
use std::net::IpAddr;
use std::time::Duration;
use ureq::http::{HeaderMap, Request, StatusCode, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::transport::DefaultConnector;

/// The total time limit: to resolve, connect, send and read.
const TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_BYTES_MAX: u64 = 64 * 1024;
/// The number of characters of an answer that are shown to users.
const REPEATED_MAX: usize = 200;
const URL_BYTES_MAX: usize = 2_000;
/// Upper limit for a `retry-after` header.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 3_600);

#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    agent: ureq::Agent,
    is_private_allowed: bool,
}

impl Outgoing {
    /// Allows only HTTPS to public addresses, or any address.
    pub(crate) fn new(is_private_allowed: bool) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .https_only(!is_private_allowed)
            .max_redirects(0)
            // A proxy would resolve names itself.
            .proxy(None)
            // Messages are too rare to keep connections open.
            .max_idle_connections(0)
            .timeout_global(Some(TIMEOUT))
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .user_agent(concat!("roundtrip-server/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = if is_private_allowed {
            config.into()
        } else {
            let resolver = PublicResolver(ureq::unversioned::resolver::DefaultResolver::default());
            ureq::Agent::with_parts(config, DefaultConnector::default(), resolver)
        };
        Self { agent, is_private_allowed }
    }

    /// Checks an address; the error is the end of a sentence. The host name is resolved and checked when sending.
    pub(crate) fn check(&self, url: &str) -> Result<(), String> {
        let expected = if self.is_private_allowed { "https://HOST or http://HOST" } else { "https://HOST" };
        let wrong = || {
            format!("expected {expected} and a path, at most {URL_BYTES_MAX} bytes, without user or password")
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let is_possible = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => self.is_private_allowed,
            _ => false,
        };
        let authority = uri.authority().ok_or_else(wrong)?;
        if !is_possible
            || url.len() > URL_BYTES_MAX
            || authority.as_str().contains('@')
            || authority.host().is_empty()
        {
            return Err(wrong());
        }
        let literal = authority.host().trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if !self.is_private_allowed
            && let Ok(address) = literal
            && !super::address::is_public(address)
        {
            return Err(format!(
                "{address} is not an address of the public internet: expected a public host"
            ));
        }
        Ok(())
    }

    /// Posts JSON, which must be answered with a success.
    pub(crate) fn post(&self, url: &str, headers: &[(&str, String)], body: &[u8]) -> Result<(), Failure> {
        let mut request = Request::post(url).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request =
            request.body(body).map_err(|error| Failure::refused(format!("invalid address: {error}")))?;
        let (parts, mut answer) = self.agent.run(request).map_err(|error| failure(&error))?.into_parts();
        // The status decides. An incomplete body does not matter.
        let text = answer.with_config().limit(ANSWER_BYTES_MAX).read_to_vec().unwrap_or_default();
        check_answer(parts.status, &parts.headers, &text)
    }
}

fn failure(error: &ureq::Error) -> Failure {
    match error {
        // It may not have been resolved just now.
        ureq::Error::Other(cause) if cause.is::<NotPublic>() => Failure::passing(cause.to_string()),
        ureq::Error::RequireHttpsOnly(_) => Failure::refused(
            "plain HTTP is not allowed: use https, or set --allow-private-targets on the server".to_owned(),
        ),
        ureq::Error::Timeout(_) => Failure::passing(format!("no answer within {} s", TIMEOUT.as_secs())),
        ureq::Error::HostNotFound => Failure::passing("unknown host".to_owned()),
        error => Failure::passing(format!("no answer: {error}")),
    }
}

fn check_answer(status: StatusCode, headers: &HeaderMap, answer: &[u8]) -> Result<(), Failure> {
    if status.is_success() {
        return Ok(());
    }
    let answered = format!("status {}{}", status.as_u16(), repeated(answer));
    if status.is_redirection() {
        return Err(Failure::refused(format!("{answered} (redirects are not followed)")));
    }
    let may_pass = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS];
    if status.is_client_error() && !may_pass.contains(&status) {
        return Err(Failure::refused(answered));
    }
    Err(Failure { retry_after: retry_after(headers, Utc::now()), ..Failure::passing(answered) })
}

/// The beginning of the answer, if it is text.
fn repeated(answer: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(answer) else { return String::new() };
    let text: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(REPEATED_MAX).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { text } else { format!(": {text}") }
}

/// Parses `retry-after` (RFC 9110, 10.2.3): seconds, or a date.
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = text.parse().map(Duration::from_secs).ok();
    let until = || (DateTime::parse_from_rfc2822(text).ok()?.to_utc() - now).to_std().ok();
    seconds.or_else(until).map(|wait| wait.min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::http::HeaderValue;

    #[test]
    fn only_https_to_public_hosts_is_allowed_unless_configured() {
        let (strict, lax) = (Outgoing::new(false), Outgoing::new(true));
        assert_eq!(strict.check("https://hooks.slack.com/services/T0/B0/x"), Ok(()));
        for url in
            ["http://example.org/", "https://127.0.0.1/", "https://[::1]:8080/x", "https://169.254.169.254"]
        {
            assert!(strict.check(url).is_err(), "{url}");
            assert_eq!(lax.check(url), Ok(()), "{url}");
        }
        let long = format!("https://example.org/{}", "x".repeat(2_000));
        for url in
            ["", "example.org", "file:///etc/passwd", "ftp://example.org/", "https://a:b@example.org/", &long]
        {
            assert!(strict.check(url).is_err() && lax.check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn retry_after_is_respected() {
        let now: DateTime<Utc> = "2026-11-25T12:00:00Z".parse().unwrap();
        let after = |text: &'static str| {
            let headers = HeaderMap::from_iter([(header::RETRY_AFTER, HeaderValue::from_static(text))]);
            retry_after(&headers, now).map(|wait| wait.as_secs())
        };
        assert_eq!(after("120"), Some(120));
        assert_eq!(after("Wed, 25 Nov 2026 12:03:00 GMT"), Some(180));
        assert_eq!(after("Wed, 25 Nov 2026 11:00:00 GMT"), None);
        assert_eq!(after("soon"), None);
        assert_eq!(after("99999999999"), Some(24 * 3_600));
    }

    #[test]
    fn answers_are_shortened_to_one_line() {
        assert_eq!(repeated(b"no_service\n"), ": no_service");
        assert_eq!(repeated(&[0xff, 0xfe]), "");
        assert_eq!(repeated(&[b'a'; 1_000]).len(), 2 + REPEATED_MAX);
    }
}
