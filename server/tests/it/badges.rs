//! Badges of projects and series, and their caching.

use crate::support::{Answer, TestApp, factory};
use roundtrip_wire::RunReport;
use roxmltree::Document;

const OF_PROJECT: &str = "/api/v1/projects/libfoo/badge.svg";

/// The text of a badge for screen readers.
fn label(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.headers["content-type"], "image/svg+xml");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let document = Document::parse(&text).unwrap();
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    let parts: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
    assert_eq!(
        parts.iter().map(|node| node.text().unwrap()).collect::<Vec<_>>().join(": "),
        title.text().unwrap()
    );
    title.text().unwrap().to_owned()
}

#[database_test]
async fn project_badge_counts_open_regressions(app: TestApp) {
    app.store(&factory::report()).await;
    assert_eq!(label(&app.get(OF_PROJECT).await), "libfoo: no regressions");
    for change in
        ["state = 'fixed'", "muted_until_at = 'infinity'", "held_because = 'its machine is suspect'"]
    {
        app.regression(change).await;
    }
    assert_eq!(label(&app.get(OF_PROJECT).await), "libfoo: no regressions");
    app.regression("").await;
    assert_eq!(label(&app.get(OF_PROJECT).await), "libfoo: 1 regression");
    app.regression("").await;
    assert_eq!(label(&app.get(OF_PROJECT).await), "libfoo: 2 regressions");
}

#[database_test]
async fn series_badge_shows_the_requested_quantile(app: TestApp) {
    for (commit, ns) in [(1, 9_000), (2, 18_200)] {
        let repetitions = vec![factory::repetition(0, &[ns; 50])];
        app.store(&factory::nth_with(commit, vec![factory::result("unix-stream", 64, repetitions)])).await;
    }
    let badge = async |query: &str| label(&app.get(&format!("/api/v1/series/1/badge.svg{query}")).await);
    let [p50, p99] = [badge("").await, badge("?quantile=p99").await];
    assert!(p50.starts_with("unix-stream roundtrip 64 B p50: 18.") && p50.ends_with(" µs"), "{p50}");
    assert!(p99.starts_with("unix-stream roundtrip 64 B p99: 18."), "{p99}");
    app.get("/api/v1/series/1/badge.svg?quantile=p42").await.assert_problem(400, "invalid-parameter");
    app.get("/api/v1/series/999/badge.svg").await.assert_problem(404, "unknown-series");
    // Results of pull requests do not affect badges.
    let results = vec![factory::once("pipe", 64, 5_000)];
    app.store(&RunReport { pull_request: Some(7), ..factory::nth_with(3, results) }).await;
    assert_eq!(label(&app.get("/api/v1/series/2/badge.svg").await), "pipe roundtrip 64 B p50: no data");
}

#[database_test]
async fn unchanged_badge_returns_304(app: TestApp) {
    app.store(&factory::report()).await;
    let first = app.get(OF_PROJECT).await;
    assert_eq!(first.headers["cache-control"], "no-cache");
    let again = app.send_with("GET", OF_PROJECT, &[("if-none-match", first.header("etag"))], None).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    app.hide("libfoo").await;
    app.get(OF_PROJECT).await.assert_problem(404, "unknown-project");
    app.get("/api/v1/series/1/badge.svg").await.assert_problem(404, "unknown-series");
    let admin = app.account("root", true).await;
    let answer = app.send("GET", OF_PROJECT, &admin, None).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "private, no-cache"));
}
