//! `/api/v1/links` and `/l/{code}`.

use crate::support::{Answer, Fixture, TestApp};
use serde_json::{Value, json};
use sqlx::PgPool;

const PAGE: &str = "/libfoo/series/7?tables=trend.sizes&show=p99#pinned";

/// A server with a user.
struct Linked {
    app: TestApp,
    user: String,
}

impl Fixture for Linked {
    async fn new(pool: PgPool) -> Self {
        let app = TestApp::new(pool).await;
        let user = app.account("ada", false).await;
        Self { app, user }
    }
}

impl Linked {
    async fn post(&self, body: &Value) -> Answer {
        self.app.send("POST", "/api/v1/links", &self.user, Some(body.clone())).await
    }

    async fn link(&self, path: &str) -> (u16, Value) {
        let answer = self.post(&json!({"path": path})).await;
        (answer.status.as_u16(), answer.json())
    }
}

#[database_test]
async fn creates_one_link_per_page(linked: Linked) {
    let (status, made) = linked.link(PAGE).await;
    assert_eq!(status, 201);
    assert_eq!(made["url"], format!("/l/{}", made["code"].as_str().unwrap()));
    assert_eq!(linked.link(PAGE).await, (200, made.clone()));
    assert_ne!(linked.link("/libfoo").await.1["code"], made["code"]);
    assert_eq!(linked.app.row_counts().await["link"], 2);

    for url in [made["url"].as_str().unwrap().to_owned(), made["url"].as_str().unwrap().replace('f', "F")] {
        let answer = linked.app.get(&url).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (302, PAGE));
        // The redirect is not cached.
        assert_eq!(answer.headers["cache-control"], "no-cache");
    }
}

#[database_test]
async fn colliding_paths_get_separate_links(linked: Linked) {
    let (_, first) = linked.link(PAGE).await;
    // Another path already has this code: inserted directly, because real hash collisions are too rare.
    linked.app.execute("update link set path = '/another'").await;
    let (status, second) = linked.link(PAGE).await;
    assert_eq!(status, 201);
    assert_ne!(first["code"], second["code"]);
    assert_eq!(linked.link(PAGE).await, (200, second.clone()));
    assert_eq!(linked.app.get(first["url"].as_str().unwrap()).await.headers["location"], "/another");
    assert_eq!(linked.app.get(second["url"].as_str().unwrap()).await.headers["location"], PAGE);
}

#[database_test]
async fn rejects_links_to_other_servers(linked: Linked) {
    for path in
        ["//evil.example/", "https://evil.example/", "/\\evil.example", "/a\r\nset-cookie: b", "/api/v1"]
    {
        let answer = linked.post(&json!({"path": path})).await;
        let problem = answer.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.starts_with("parameter path: expected"), "{path}: {problem:?}");
    }
    for body in [json!({}), json!({"path": 1}), json!({"path": "/a", "code": "x"}), json!([])] {
        linked.post(&body).await.assert_problem(400, "invalid-parameter");
    }
    for (media_type, body, status, code) in [
        ("application/json", "{", 400, "invalid-json"),
        ("application/json", r#"{"path":"/a"} x"#, 400, "invalid-json"),
        ("text/plain", r#"{"path":"/a"}"#, 415, "unsupported-media-type"),
        ("application/json", &" ".repeat(65 * 1024), 413, "body-too-large"),
    ] {
        let bearer = format!("Bearer {}", linked.user);
        let headers = [("content-type", media_type), ("authorization", &bearer)];
        let answer = linked.app.send_bytes("POST", "/api/v1/links", &headers, body.into()).await;
        answer.assert_problem(status, code);
    }
    assert_eq!(linked.app.row_counts().await["link"], 0);
}

#[database_test]
async fn unknown_link_is_not_found(app: TestApp) {
    app.get("/l/0123456789").await.assert_problem(404, "unknown-link");
    // A project can be called `l`.
    for page in ["/l", "/l/runs", "/l/series/7"] {
        assert_eq!(app.get(page).await.body, app.get("/libfoo").await.body, "{page}");
    }
}
