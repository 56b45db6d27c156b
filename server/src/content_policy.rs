//! The content security policy, and which pages can be embedded.

use crate::AppState;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use roundtrip_wire::Slug;

/// Allows only our own scripts and style sheets. Scripts can still set styles of elements; inline styles in documents
/// are ignored.
macro_rules! policy {
    ($frame_ancestors:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'self'; img-src 'self' data:; object-src 'none'; ",
            "base-uri 'self'; form-action 'self'; frame-ancestors ",
            $frame_ancestors
        ))
    };
}

/// Pages cannot be framed, against clickjacking.
const PAGE_POLICY: HeaderValue = policy!("'none'");
/// Pages with a single chart can be embedded anywhere.
const CHART_POLICY: HeaderValue = policy!("*");

/// Middleware: adds the policy to every response.
pub(crate) async fn add_policy(request: Request, next: Next) -> Response {
    let policy = if shows_one_chart(request.uri()) { CHART_POLICY } else { PAGE_POLICY };
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// Makes browsers use only HTTPS for a year. It covers only this host, because we do not control its subdomains.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Middleware: adds `strict-transport-security` if the server is reached by HTTPS.
pub(crate) async fn add_hsts(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if state.notifier().public_url().starts_with("https://") {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
    response
}

/// Whether this is the address of a page with `embed=<chart>`. The interface then shows only that chart, without any
/// controls that change data. Within another site's frame the user is anonymous, because the session's cookie is
/// `SameSite=Lax`. Ambiguous addresses count as normal pages.
fn shows_one_chart(uri: &Uri) -> bool {
    let is_page = !(uri.path() == "/api" || uri.path().starts_with("/api/"));
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let mut charts = pairs.filter(|(name, _)| *name == "embed").map(|(_, chart)| chart);
    let chart = charts.next().filter(|_| charts.next().is_none());
    is_page && chart.is_some_and(|chart| Slug::parse(chart).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_chart_pages_can_be_framed() {
        let is_framed = |uri: &'static str| shows_one_chart(&Uri::from_static(uri));
        for uri in
            ["/libfoo/series/7?embed=trend", "/libfoo?tables=trend&embed=size-sweep&last=7", "/?embed=a"]
        {
            assert!(is_framed(uri), "{uri}");
        }
        for uri in [
            "/libfoo/series/7",
            "/libfoo?embed",
            "/libfoo?embed=",
            "/libfoo?embed=Trend",
            "/libfoo?embed=%22trend%22",
            "/libfoo?embed=trend&embed=sizes",
            "/libfoo?embed=trend&embed=",
            "/libfoo?embedded=trend",
            "/libfoo/embed=trend",
            "/api/v1/projects?embed=trend",
            "/api?embed=trend",
        ] {
            assert!(!is_framed(uri), "{uri}");
        }
    }

    #[test]
    fn policies_differ_only_in_frame_ancestors() {
        let [page, chart] = [PAGE_POLICY, CHART_POLICY].map(|policy| policy.to_str().unwrap().to_owned());
        assert_eq!(page.replace("frame-ancestors 'none'", "frame-ancestors *"), chart);
        assert!(page.contains("img-src 'self' data:;") && page.starts_with("default-src 'self';"));
    }
}
