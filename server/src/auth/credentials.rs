//! [`Credentials`]: the token or cookie of a request.

use axum::http::{HeaderMap, header};
use cookie::Cookie;
use roundtrip_storage::access::Secret;
use roundtrip_storage::access::secret::SecretKind;

/// The cookie of a session. Because of its prefix, browsers accept it only over HTTPS (or from localhost), only from
/// this host, and for the whole host.
pub(crate) const SESSION_COOKIE: &str = "__Host-roundtrip";

/// The credentials of a request. A token takes precedence over a cookie.
#[derive(Debug)]
pub(super) enum Credentials<'a> {
    /// Other credentials, for example for a proxy.
    None,
    /// The text after `Bearer`.
    Bearer(&'a str),
    /// The secret of a session.
    Session(Secret),
}

impl<'a> Credentials<'a> {
    pub(super) fn from_headers(headers: &'a HeaderMap) -> Self {
        if let Some(text) = bearer(headers) {
            return Self::Bearer(text);
        }
        match cookie(headers, SESSION_COOKIE).and_then(|value| Secret::parse(&value)) {
            Some(secret) if secret.kind() == SecretKind::Session => Self::Session(secret),
            _ => Self::None,
        }
    }
}

/// The value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| Cookie::split_parse(line.to_owned()))
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, secret)| secret.trim())
}
