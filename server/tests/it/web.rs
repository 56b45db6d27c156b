//! The web UI next to the API. Test builds read it from `web/dist`, which may not exist.

use crate::support::TestApp;
use std::path::Path;

#[database_test]
async fn serves_the_interface_or_build_instructions(app: TestApp) {
    let index = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist/index.html")).ok();
    for path in ["/", "/index.html", "/projects/libfoo", "/runs/7?tab=1"] {
        let answer = app.get(path).await;
        assert_eq!(answer.headers["cache-control"], "no-cache", "{path}");
        match &index {
            Some(index) => {
                assert_eq!((answer.status.as_u16(), &answer.body), (200, index), "{path}");
                assert_eq!(answer.headers["content-type"], "text/html", "{path}");
            }
            None => {
                assert_eq!(answer.status, 404, "{path}");
                assert!(String::from_utf8(answer.body).unwrap().contains("npm run build"), "{path}");
            }
        }
    }
}

#[database_test]
async fn only_chart_pages_can_be_embedded(app: TestApp) {
    for (path, ancestors) in [
        ("/libfoo/series/7?embed=trend", "*"),
        ("/libfoo?tables=trend&embed=trend", "*"),
        ("/libfoo/series/7", "'none'"),
        ("/libfoo/series/7?embed=", "'none'"),
        ("/libfoo/series/7?embed=trend&embed=sizes", "'none'"),
        ("/l/3fa9c01b2e?embed=trend", "*"),
        ("/api/v1/projects?embed=trend", "'none'"),
        ("/assets/index-0000.js", "'none'"),
    ] {
        let answer = app.get(path).await;
        let policy = answer.header("content-security-policy");
        let allowed = policy.split("; ").find_map(|part| part.strip_prefix("frame-ancestors "));
        assert_eq!(allowed, Some(ancestors), "{path}");
        assert!(policy.starts_with("default-src 'self';"), "{path}: {policy}");
        assert!(policy.contains("img-src 'self' data:;"), "{path}: {policy}");
        // It would forbid embedding in browsers that support both headers.
        assert!(!answer.headers.contains_key("x-frame-options"), "{path}");
    }
}

#[database_test]
async fn missing_asset_returns_a_problem(app: TestApp) {
    app.get("/assets/index-0000.js").await.assert_problem(404, "unknown-asset");
    app.get("/assets/../../../Cargo.toml").await.assert_problem(404, "unknown-asset");
}

#[database_test]
async fn serves_the_committed_api_document(app: TestApp) {
    let answer = app.get("/api/v1/openapi.json").await;
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(String::from_utf8(answer.body).unwrap(), include_str!("../../openapi.json"));
}
