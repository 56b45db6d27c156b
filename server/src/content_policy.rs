//! What browsers let our pages do, and who may show them within a page of their own.

use crate::AppState;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use roundtrip_wire::Slug;

/// Only own scripts run, and only own style sheets count. Charts set the style of single elements from scripts, which no policy
/// forbids; a style that stands in a document's text is not taken.
macro_rules! policy {
    ($frame_ancestors:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'self'; img-src 'self' data:; object-src 'none'; ",
            "base-uri 'self'; form-action 'self'; frame-ancestors ",
            $frame_ancestors
        ))
    };
}

/// Nobody frames a page: what is pressed there could be pressed for somebody else.
const OF_PAGES: HeaderValue = policy!("'none'");
/// Anyone frames a page that shows one chart.
const OF_A_CHART: HeaderValue = policy!("*");

/// Middleware: tells it with every answer.
pub(crate) async fn tell(request: Request, next: Next) -> Response {
    let policy = if shows_one_chart(request.uri()) { OF_A_CHART } else { OF_PAGES };
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// For a year a browser that was here by HTTPS comes by nothing else. Only this host: what else its domain serves is not ours.
const HTTPS_ALONE: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Middleware: tells it where people reach this server by HTTPS.
pub(crate) async fn stay_with_https(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if state.notifier().public_url().starts_with("https://") {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, HTTPS_ALONE);
    }
    response
}

/// Whether this is the address of a page with `embed=<chart>`. The interface then shows that chart alone: nothing on it changes
/// anything, and whoever looks is a stranger where another site frames it, because the session's cookie is `SameSite=Lax` and
/// stays at home. What is not plainly that is a page like any other.
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
    fn only_a_page_that_is_asked_for_one_chart_may_be_framed() {
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
    fn the_policies_differ_in_who_may_frame_a_page_and_in_nothing_else() {
        let [of_pages, of_a_chart] = [OF_PAGES, OF_A_CHART].map(|policy| policy.to_str().unwrap().to_owned());
        assert_eq!(of_pages.replace("frame-ancestors 'none'", "frame-ancestors *"), of_a_chart);
        assert!(of_pages.contains("img-src 'self' data:;") && of_pages.starts_with("default-src 'self';"));
    }
}
