//! Entity tags of API responses.

use crate::support::{Answer, TestApp, factory};

async fn ask(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> Answer {
    app.send_with("GET", path, headers, None).await
}

#[database_test]
async fn every_answer_supports_etags(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let (run, sha) = (report.run_id, &report.commit.sha);
    for path in [
        "/api/v1/openapi.json",
        "/api/v1/points?series=1",
        "/api/v1/projects",
        "/api/v1/projects/libfoo",
        "/api/v1/projects/libfoo/commits",
        &format!("/api/v1/projects/libfoo/commits/{sha}"),
        "/api/v1/projects/libfoo/machines",
        "/api/v1/projects/libfoo/machines/lab-1/canaries",
        &format!("/api/v1/projects/libfoo/merge-base?base={sha}&head={sha}"),
        "/api/v1/projects/libfoo/pull-requests",
        "/api/v1/projects/libfoo/runs",
        "/api/v1/projects/libfoo/series",
        "/api/v1/projects/libfoo/series/facets",
        "/api/v1/references",
        "/api/v1/size-profiles",
        &format!("/api/v1/runs/{run}"),
        &format!("/api/v1/runs/{run}/report"),
        &format!("/api/v1/runs/{run}/series/1"),
        "/api/v1/series/1",
    ] {
        let first = ask(&app, path, &[]).await;
        assert_eq!(first.status, 200, "{path}");
        let tag = first.header("etag");
        assert!(tag.starts_with("W/\"") && tag.len() > 20, "{path}: {tag}");
        let listed = format!("\"another\", {tag}");
        for held in [tag, &listed, tag.trim_start_matches("W/"), "*"] {
            let again = ask(&app, path, &[("if-none-match", held)]).await;
            assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{path}: {held}");
            assert!(!again.headers.contains_key("content-type"), "{path}");
            for name in ["etag", "cache-control", "vary"] {
                assert_eq!(again.headers[name], first.headers[name], "{path}: {name}");
            }
        }
        let other = ask(&app, path, &[("if-none-match", "W/\"another\"")]).await;
        assert_eq!((other.status.as_u16(), other.body), (200, first.body), "{path}");
    }
}

#[database_test]
async fn tag_changes_with_the_answer_and_not_with_compression(app: TestApp) {
    app.store(&factory::report()).await;
    let path = "/api/v1/projects/libfoo/runs";
    let before = ask(&app, path, &[]).await;
    app.store(&factory::report()).await;
    let after = ask(&app, path, &[("if-none-match", before.header("etag"))]).await;
    assert_eq!(after.status, 200);
    assert_ne!(after.header("etag"), before.header("etag"));

    let path = "/api/v1/references";
    let plain = ask(&app, path, &[]).await;
    let gzip = ask(&app, path, &[("accept-encoding", "gzip")]).await;
    assert_eq!(gzip.headers["content-encoding"], "gzip");
    assert_ne!(gzip.body, plain.body);
    let tag = plain.header("etag");
    assert_eq!(gzip.header("etag"), tag);
    let again = ask(&app, path, &[("accept-encoding", "gzip"), ("if-none-match", tag)]).await;
    assert_eq!(again.status, 304);
    assert!(!again.headers.contains_key("content-encoding"));

    let small = ask(&app, "/api/v1/projects/libfoo", &[("accept-encoding", "gzip")]).await;
    assert!(small.body.len() > 100 && !small.headers.contains_key("content-encoding"), "it fits one packet");
}

#[database_test]
async fn errors_and_other_methods_have_no_tag(app: TestApp) {
    let problem = ask(&app, "/api/v1/series/7", &[("if-none-match", "*")]).await;
    problem.assert_problem(404, "unknown-series");
    assert!(!problem.headers.contains_key("etag"));
    let stored = app.put(&factory::report()).await;
    assert!(!stored.headers.contains_key("etag"));
    let head = app.send_with("HEAD", "/api/v1/projects", &[("if-none-match", "*")], None).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    assert_ne!(head.headers["content-length"], "0");
}
