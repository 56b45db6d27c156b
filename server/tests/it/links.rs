//! `/api/v1/links` and `/l/{code}`.

use crate::support::TestApp;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

const PAGE: &str = "/libfoo/series/7?tables=trend.sizes&show=p99#pinned";

async fn link(app: &TestApp, path: &str) -> (u16, Value) {
    let answer = app.post("/api/v1/links", &json!({"path": path})).await;
    (answer.status.as_u16(), answer.json())
}

#[database_test]
async fn a_link_leads_to_its_page_and_is_made_once(app: TestApp) {
    let (status, made) = link(&app, PAGE).await;
    assert_eq!(status, 201);
    assert_eq!(made["url"], format!("/l/{}", made["code"].as_str().unwrap()));
    assert_eq!(link(&app, PAGE).await, (200, made.clone()));
    assert_ne!(link(&app, "/libfoo").await.1["code"], made["code"]);
    assert_eq!(app.row_counts().await["link"], 2);

    for url in [made["url"].as_str().unwrap().to_owned(), made["url"].as_str().unwrap().replace('f', "F")] {
        let answer = app.get(&url).await;
        assert_eq!((answer.status.as_u16(), answer.headers["location"].to_str().unwrap()), (302, PAGE));
        // Nobody keeps where it led.
        assert_eq!(answer.headers["cache-control"], "no-cache");
    }
}

#[database_test]
async fn paths_whose_names_collide_keep_links_of_their_own(app: TestApp) {
    let (_, first) = link(&app, PAGE).await;
    // Another path had that name before: made up, since hashes collide too seldom.
    app.execute("update link set path = '/another'").await;
    let (status, second) = link(&app, PAGE).await;
    assert_eq!(status, 201);
    assert_ne!(first["code"], second["code"]);
    assert_eq!(link(&app, PAGE).await, (200, second.clone()));
    assert_eq!(app.get(first["url"].as_str().unwrap()).await.headers["location"], "/another");
    assert_eq!(app.get(second["url"].as_str().unwrap()).await.headers["location"], PAGE);
}

#[database_test]
async fn what_is_no_page_of_this_server_has_no_link(app: TestApp) {
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
    let send = async |media_type: &str, body: Vec<u8>| {
        let request = Request::post("/api/v1/links").header("content-type", media_type);
        app.call(request.body(Body::from(body)).unwrap()).await
    };
    send("application/json", b"{".to_vec()).await.assert_problem(400, "invalid-json");
    send("application/json", b"{\"path\":\"/a\"} x".to_vec()).await.assert_problem(400, "invalid-json");
    send("text/plain", b"{\"path\":\"/a\"}".to_vec()).await.assert_problem(415, "unsupported-media-type");
    send("application/json", vec![b' '; 65 * 1024]).await.assert_problem(413, "body-too-large");
    assert_eq!(app.row_counts().await["link"], 0);
}

#[database_test]
async fn an_unknown_link_is_a_problem_and_what_is_none_a_page(app: TestApp) {
    app.get("/l/0123456789").await.assert_problem(404, "unknown-link");
    // A project may be called `l`.
    for page in ["/l", "/l/runs", "/l/series/7"] {
        assert_eq!(app.get(page).await.body, app.get("/libfoo").await.body, "{page}");
    }
}
