//! Whether a request that changes something was sent by our own pages.
//!
//! A browser sends its cookie with whatever any page of any site asks of us. Two things tell our pages apart: a header
//! that no form can set, and that a script of another site may set only if we allowed it, which we never do; and the
//! browser's own word on where the request began.

use crate::error::ApiError;
use axum::http::{HeaderMap, header};

/// What our pages send with every request.
const HEADER: &str = "x-roundtrip-csrf";

/// Passes what our own pages sent.
pub(crate) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text(HEADER) != Some("1") {
        return Err(ApiError::CrossSite("expected a header `x-roundtrip-csrf: 1` beside the cookie"));
    }
    let is_own = match (text("sec-fetch-site"), text(header::ORIGIN.as_str())) {
        (Some(site), _) => site == "same-origin",
        // Browsers of before 2023 do not say it, but where they come from.
        (None, Some(origin)) => origin.split_once("://").is_some_and(|(_, host)| {
            text(header::HOST.as_str()).is_some_and(|own| own.eq_ignore_ascii_case(host))
        }),
        (None, None) => false,
    };
    if is_own {
        Ok(())
    } else {
        Err(ApiError::CrossSite("the request did not begin on a page of this server"))
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
