//! `/api/v1/links` and `/l/{code}`.

use crate::support::TestApp;
use serde_json::{Value, json};

const PAGE: &str = "/libfoo/series/7?tables=trend.sizes&show=p99#pinned";

async fn link(app: &TestApp, path: &str) -> (u16, Value) {
    let answer = app.post("/api/v1/links", &json!({"path": path})).await;
    (answer.status.as_u16(), answer.json())
}

#[database_test]
async fn creates_one_link_per_page(app: TestApp) {
    let (status, made) = link(&app, PAGE).await;
    assert_eq!(status, 201);
    assert_eq!(made["url"], format!("/l/{}", made["code"].as_str().unwrap()));
    assert_eq!(link(&app, PAGE).await, (200, made.clone()));
    assert_ne!(link(&app, "/libfoo").await.1["code"], made["code"]);
    assert_eq!(app.row_counts().await["link"], 2);

    for url in [made["url"].as_str().unwrap().to_owned(), made["url"].as_str().unwrap().replace('f', "F")] {
        let answer = app.get(&url).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (302, PAGE));
        // The redirect is not cached.
        assert_eq!(answer.headers["cache-control"], "no-cache");
    }
}

#[database_test]
async fn colliding_paths_get_separate_links(app: TestApp) {
    let (_, first) = link(&app, PAGE).await;
    // Another path already has this code: inserted directly, because real hash collisions are too rare.
    app.execute("update link set path = '/another'").await;
    let (status, second) = link(&app, PAGE).await;
    assert_eq!(status, 201);
    assert_ne!(first["code"], second["code"]);
    assert_eq!(link(&app, PAGE).await, (200, second.clone()));
    assert_eq!(app.get(first["url"].as_str().unwrap()).await.headers["location"], "/another");
    assert_eq!(app.get(second["url"].as_str().unwrap()).await.headers["location"], PAGE);
}

#[database_test]
async fn rejects_links_to_other_servers(app: TestApp) {
    for path in
        ["//evil.example/", "https://evil.example/", "/\\evil.example", "/a\r\nset-cookie: b", "/api/v1"]
    {
        let answer = app.post("/api/v1/links", &json!({"path": path})).await;
        let problem = answer.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.starts_with("parameter path: expected"), "{path}: {problem:?}");
    }
    for body in [json!({}), json!({"path": 1}), json!({"path": "/a", "code": "x"}), json!([])] {
        app.post("/api/v1/links", &body).await.assert_problem(400, "invalid-parameter");
    }
    for (media_type, body, status, code) in [
        ("application/json", "{", 400, "invalid-json"),
        ("application/json", r#"{"path":"/a"} x"#, 400, "invalid-json"),
        ("text/plain", r#"{"path":"/a"}"#, 415, "unsupported-media-type"),
        ("application/json", &" ".repeat(65 * 1024), 413, "body-too-large"),
    ] {
        let answer =
            app.send_bytes("POST", "/api/v1/links", &[("content-type", media_type)], body.into()).await;
        answer.assert_problem(status, code);
    }
    assert_eq!(app.row_counts().await["link"], 0);
}

#[database_test]
async fn unknown_link_is_not_found(app: TestApp) {
    app.get("/l/0123456789").await.assert_problem(404, "unknown-link");
    // A project can be called `l`.
    for page in ["/l", "/l/runs", "/l/series/7"] {
        assert_eq!(app.get(page).await.body, app.get("/libfoo").await.body, "{page}");
    }
}
