//! Requests to a server, and what its refusals mean.

use roundtrip_wire::{Problem, problem::PROBLEM_MEDIA_TYPE};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;
use ureq::Body;
use ureq::http::Response;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// Whom to believe that a server is who it says, in place of Mozilla's list: a file of PEM, as other programs take it. A lab
/// often has an authority of its own.
const TRUSTED_FILE: &str = "SSL_CERT_FILE";

static TRUSTED: LazyLock<RootCerts> = LazyLock::new(|| {
    let Some(file) = std::env::var_os(TRUSTED_FILE).filter(|file| !file.is_empty()) else {
        return RootCerts::WebPki;
    };
    trusted_in(Path::new(&file)).unwrap_or_else(|error| {
        // Once: what follows is that a server is believed or not, as without it.
        eprintln!("roundtrip: {TRUSTED_FILE}: {error}; Mozilla's list is believed instead");
        RootCerts::WebPki
    })
});

fn trusted_in(file: &Path) -> Result<RootCerts, String> {
    let pem = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let found = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
        Ok(_) => None,
        Err(error) => Some(Err(format!("{} is damaged: {error}", file.display()))),
    });
    let certificates: Vec<_> = found.collect::<Result<_, _>>()?;
    if certificates.is_empty() {
        return Err(format!("no certificate is in {}: expected PEM", file.display()));
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

/// What sends requests, and waits for so long.
pub(crate) fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .tls_config(TlsConfig::builder().root_certs(TRUSTED.clone()).build())
        .http_status_as_error(false)
        .timeout_global(Some(timeout))
        .user_agent(concat!("roundtrip/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Why a request did not succeed.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Worth trying again later, after this long if the server says so.
    Temporary(String, Option<Duration>),
    /// The server will say the same next time.
    Final(String),
    /// The server does not accept the token.
    Token(String),
}

/// An answer other than what was hoped for.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    /// The problem's code, if it is one.
    pub(crate) code: String,
    /// All of it, for people.
    pub(crate) said: String,
    retry_after: Option<Duration>,
}

impl Refused {
    /// Reads it.
    pub(crate) fn read(url: &str, response: &mut Response<Body>) -> Self {
        let status = response.status().as_u16();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok().map(str::to_owned))
        };
        let retry_after = header("retry-after").and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let is_problem = header("content-type").is_some_and(|kind| kind.starts_with(PROBLEM_MEDIA_TYPE));
        let text = response.body_mut().read_to_string().unwrap_or_default();
        let problem = serde_json::from_str::<Problem>(&text).ok().filter(|_| is_problem);
        let said = match &problem {
            Some(problem) => {
                let at = problem.pointer.as_ref().map(|pointer| format!(" at {pointer}")).unwrap_or_default();
                format!("the server answered {status} {}{at}: {}", problem.code, problem.detail)
            }
            None => format!("{url} answered {status}: is it a Roundtrip server?"),
        };
        Self { status, code: problem.map(|problem| problem.code).unwrap_or_default(), said, retry_after }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused.status {
            401 | 403 => Self::Token(refused.said),
            429 | 500.. => Self::Temporary(refused.said, refused.retry_after),
            _ => Self::Final(refused.said),
        }
    }
}

/// Why there is no answer at all.
pub(crate) fn unanswered(url: &str, error: &ureq::Error) -> Refusal {
    match error {
        ureq::Error::BadUri(_) => Refusal::Final(format!("`{url}` is not a server's address: {error}")),
        error => Refusal::Temporary(format!("{url} does not answer: {error}"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_with_certificates_says_whom_to_believe() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trusted.pem");
        assert!(trusted_in(&file).unwrap_err().starts_with("cannot read /"));
        std::fs::write(&file, "nothing").unwrap();
        assert!(trusted_in(&file).unwrap_err().starts_with("no certificate is in /"));
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(matches!(trusted_in(&file), Ok(RootCerts::Specific(found)) if found.len() == 1));
    }
}
