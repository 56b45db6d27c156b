//! [`Credentials`]: what a request brings to prove who sent it.

use axum::http::{HeaderMap, header};
use cookie::Cookie;
use roundtrip_storage::access::Secret;
use roundtrip_storage::access::secret::SecretKind;

/// The cookie of a session. By its prefix a browser takes it over HTTPS alone (or from the machine itself), from this
/// host alone, and for the whole host.
pub(crate) const SESSION_COOKIE: &str = "__Host-roundtrip";

/// What a request brings. A token comes before a cookie.
#[derive(Debug)]
pub(super) enum Credentials<'a> {
    /// Nothing that is ours: a proxy in front may have schemes of its own.
    None,
    /// What follows `Bearer`.
    Bearer(&'a str),
    /// The secret of a session.
    Session(Secret),
}

impl<'a> Credentials<'a> {
    pub(super) fn of(headers: &'a HeaderMap) -> Self {
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
