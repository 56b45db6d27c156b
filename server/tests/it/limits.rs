//! Rate limits.

use crate::support::{Answer, TestApp, factory};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use roundtrip_server::auth_settings::{Settings, TrustedProxies};
use sqlx::PgPool;
use std::net::SocketAddr;

/// A limit so low and so slowly refilled that tests reach it and stay there.
fn few() -> Settings {
    Settings { requests_per_minute: 1, ..Settings::default() }
}

async fn get_from(app: &TestApp, peer: &str, forwarded_for: Option<&str>) -> Answer {
    get_with(app, peer, forwarded_for.map(str::as_bytes)).await
}

/// Like `get_from`, with any bytes.
async fn get_with(app: &TestApp, peer: &str, forwarded_for: Option<&[u8]>) -> Answer {
    let peer: SocketAddr = format!("{peer}:1234").parse().unwrap();
    let mut request = Request::get("/api/v1/projects").extension(ConnectInfo(peer));
    if let Some(named) = forwarded_for {
        request = request.header("x-forwarded-for", named);
    }
    app.call(request.body(Body::empty()).unwrap()).await
}

fn assert_too_many(answer: &Answer) {
    let problem = answer.assert_problem(429, "too-many-requests");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    assert!(problem.detail.contains(&wait.to_string()), "{problem:?}");
}

#[database_test]
async fn limits_anonymous_clients_by_address(pool: PgPool) {
    let app = TestApp::with_auth(pool, few()).await;
    assert_eq!(get_from(&app, "192.0.2.1", None).await.status, 200);
    assert_too_many(&get_from(&app, "192.0.2.1", None).await);
    assert_too_many(&get_from(&app, "192.0.2.1", Some("203.0.113.9")).await);
    assert_eq!(get_from(&app, "192.0.2.2", None).await.status, 200);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(app.get(path).await.status, 200, "health checks are not counted");
    }
}

#[database_test]
async fn counts_clients_behind_a_trusted_proxy(pool: PgPool) {
    let trusted_proxies = TrustedProxies(vec!["192.0.2.0/24".parse().unwrap()]);
    let app = TestApp::with_auth(pool, Settings { trusted_proxies, ..few() }).await;
    assert_eq!(get_from(&app, "192.0.2.1", Some("203.0.113.1")).await.status, 200);
    assert_eq!(get_from(&app, "192.0.2.1", Some("203.0.113.2")).await.status, 200);
    assert_too_many(&get_from(&app, "192.0.2.1", Some("198.51.100.1, 203.0.113.1")).await);
}

#[database_test]
async fn attack_with_a_malformed_header_counts_for_its_client(pool: PgPool) {
    let trusted_proxies = TrustedProxies(vec!["192.0.2.0/24".parse().unwrap()]);
    let app = TestApp::with_auth(pool, Settings { trusted_proxies, ..few() }).await;
    // The proxy appends the client to what the client sent, some with its port.
    let elements: [(&[u8], u16); 6] = [
        (b"203.0.113.1:40000", 200),
        (b"203.0.113.1:40001", 429),
        (b"\xff, 203.0.113.2", 200),
        (b"\xfe, 203.0.113.2", 429),
        (b"[2001:db8::1]:443", 200),
        (b"2001:db8::1,", 429),
    ];
    for (named, status) in elements {
        assert_eq!(get_with(&app, "192.0.2.1", Some(named)).await.status, status, "{named:?}");
    }
    assert_eq!(get_from(&app, "192.0.2.1", None).await.status, 200, "nothing was counted for the proxy");
}

#[database_test]
async fn counts_each_token_separately(pool: PgPool) {
    let app = TestApp::with_auth(pool, few()).await;
    assert_eq!(app.get("/api/v1/projects").await.status, 200);
    assert_too_many(&app.get("/api/v1/projects").await);
    // Reads, because twenty uploads can take the three seconds after which one more request is allowed.
    let read = || app.send("GET", "/api/v1/projects", &app.token, None);
    for _ in 0..20 {
        assert_eq!(read().await.status, 200);
    }
    assert_too_many(&read().await);
    assert_too_many(&app.put(&factory::report()).await);
}

#[database_test]
async fn default_limit_allows_100_uploads_a_second(pool: PgPool) {
    let app = TestApp::with_auth(pool, Settings::default()).await;
    let report = factory::report();
    assert_eq!(app.put(&report).await.status, 201);
    for _ in 0..1_000 {
        assert_eq!(app.put(&report).await.status, 200, "a repeated upload");
    }
}

#[database_test]
async fn failed_authentications_have_a_lower_limit(app: TestApp) {
    let wrong = "rta_000000000000000000000000000000000000";
    for _ in 0..30 {
        app.send("GET", "/api/v1/projects", wrong, None).await.assert_problem(401, "unauthenticated");
    }
    assert_too_many(&app.send("GET", "/api/v1/projects", wrong, None).await);
    assert_too_many(&app.put(&factory::report()).await);
    let anonymous = app.get("/api/v1/projects").await;
    assert_eq!(anonymous.status, 200, "requests without a token cannot fail authentication");
}

#[database_test]
async fn unread_answers_of_a_client_are_limited(app: TestApp) {
    // A long answer.
    let path = "/api/v1/openapi.json";
    let mut unread = vec![app.open(path, None).await];
    let length: usize = unread[0].headers()["content-length"].to_str().unwrap().parse().unwrap();
    for _ in 1..16 * 1024 * 1024 / length {
        unread.push(app.open(path, None).await);
    }
    assert!(unread.iter().all(|answer| answer.status() == 200));
    let answer = app.get(path).await;
    answer.assert_problem(429, "too-many-requests");
    assert_eq!(answer.header("retry-after"), "5");
    assert_eq!(app.get("/api/v1/projects").await.status, 200, "a short answer");
    let ada = app.account("ada", false).await;
    assert_eq!(app.send("GET", path, &ada, None).await.status, 200, "another client");
    unread.pop();
    assert_eq!(app.get(path).await.status, 200);
}
