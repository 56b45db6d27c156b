//! Protection against cross-site request forgery.
//!
//! A browser sends its cookie with requests from any site. Requests from our own pages also have the browser's
//! `origin` or `sec-fetch-site`, and a header that forms cannot set, nor scripts of other sites without permission.

use crate::error::ApiError;
use axum::http::{HeaderMap, header};

/// The header that our pages send with every request.
const HEADER: &str = "x-roundtrip-csrf";

/// Accepts only requests from our own pages.
pub(crate) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text(HEADER) != Some("1") {
        return Err(ApiError::CrossSite(
            "missing header `x-roundtrip-csrf: 1`, required with the session cookie",
        ));
    }
    let is_own = match (text("sec-fetch-site"), text(header::ORIGIN.as_str())) {
        (Some(site), _) => site == "same-origin",
        // Browsers from before 2023 do not send it. They send the origin.
        (None, Some(origin)) => origin.split_once("://").is_some_and(|(_, host)| {
            text(header::HOST.as_str()).is_some_and(|own| own.eq_ignore_ascii_case(host))
        }),
        (None, None) => false,
    };
    if is_own {
        Ok(())
    } else {
        Err(ApiError::CrossSite("the request does not come from a page of this server"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn passes(headers: &[(&'static str, &'static str)]) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        check(&headers.collect()).is_ok()
    }

    #[test]
    fn only_our_own_pages_pass() {
        let own = (HEADER, "1");
        let host = ("host", "lab.example.org");
        assert!(passes(&[own, ("sec-fetch-site", "same-origin")]));
        assert!(passes(&[own, host, ("origin", "https://lab.example.org")]));
        for refused in [
            vec![("sec-fetch-site", "same-origin")],
            vec![(HEADER, "0"), ("sec-fetch-site", "same-origin")],
            vec![own],
            vec![own, ("sec-fetch-site", "same-site")],
            vec![own, ("sec-fetch-site", "cross-site")],
            vec![own, ("sec-fetch-site", "none")],
            vec![own, ("sec-fetch-site", "cross-site"), host, ("origin", "https://lab.example.org")],
            vec![own, host, ("origin", "https://example.org")],
            vec![own, host, ("origin", "null")],
            vec![own, ("origin", "https://lab.example.org")],
        ] {
            assert!(!passes(&refused), "{refused:?}");
        }
    }
}
