//! Errors: every failure is a problem with a request id.

use crate::support::{TestApp, factory};
use sqlx::postgres::PgPoolOptions;
use std::time::Duration;

#[database_test]
async fn unknown_api_path_returns_a_problem(app: TestApp) {
    for path in ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/projects", "/api/v1/projects/"] {
        app.get(path).await.assert_problem(404, "unknown-endpoint");
    }
}

#[database_test]
async fn unsupported_method_lists_allowed_methods(app: TestApp) {
    for (method, path, allowed) in [
        ("POST", "/api/v1/projects/libfoo", "GET"),
        ("DELETE", "/api/v1/runs/019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b", "PUT"),
        ("PATCH", "/healthz", "GET"),
    ] {
        let answer = app.send(method, path, "", None).await;
        answer.assert_problem(405, "method-not-allowed");
        assert!(answer.header("allow").contains(allowed), "{path}: {answer:?}");
    }
    app.send("POST", "/page", "", None).await.assert_problem(405, "method-not-allowed");
}

#[database_test]
async fn names_the_invalid_parameter(app: TestApp) {
    app.store(&factory::report()).await;
    let many = (1..=201).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    for (path, name) in [
        ("/api/v1/projects/Not%20A%20Slug", "project"),
        ("/api/v1/projects/%ff", "project"),
        ("/api/v1/series/x", "series_id"),
        ("/api/v1/runs/x", "run_id"),
        ("/api/v1/runs/6fa459ea-ee8a-4ca4-894e-db77e160355e", "run_id"),
        ("/api/v1/runs/019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b/series/x", "series_id"),
        ("/api/v1/projects/libfoo/runs?limit=0", "limit"),
        ("/api/v1/projects/libfoo/runs?limit=1001", "limit"),
        ("/api/v1/projects/libfoo/runs?limit=x", "limit"),
        ("/api/v1/projects/libfoo/runs?before=x", "before"),
        ("/api/v1/projects/libfoo/runs?after=x", "after"),
        ("/api/v1/projects/libfoo/runs?machine=A%20B", "machine"),
        ("/api/v1/projects/libfoo/runs?limt=3", "limt"),
        ("/api/v1/projects/libfoo/series?message_bytes=1k", "message_bytes"),
        ("/api/v1/projects/libfoo/series?transport=pipe,", "transport"),
        ("/api/v1/projects/libfoo/series?after=", "after"),
        ("/api/v1/projects/libfoo/series?after=LTEg!", "after"),
        ("/api/v1/projects/libfoo/series?limit=1&limit=2", "limit"),
        ("/api/v1/projects/libfoo/series?limits=1", "limits"),
        ("/api/v1/projects/libfoo/series?q=a%00b", "query"),
        (&format!("/api/v1/projects/libfoo/series?q={}", "a".repeat(201)), "q"),
        ("/api/v1/projects/libfoo/series/facets?limit=1", "limit"),
        ("/api/v1/points", "series"),
        ("/api/v1/points?series=", "series"),
        ("/api/v1/points?series=1,x", "series"),
        ("/api/v1/points?series=1&limit=10001", "limit"),
        (&format!("/api/v1/points?series={many}"), "series"),
    ] {
        app.get(path).await.assert_invalid(name);
    }
}

#[database_test]
async fn keeps_the_clients_request_id(app: TestApp) {
    let answer = app.send_with("GET", "/api/v1/series/7", &[("x-request-id", "mine")], None).await;
    let problem = answer.assert_problem(404, "unknown-series");
    assert_eq!(problem.request_id.as_deref(), Some("mine"));
}

#[database_test]
async fn unavailable_database_returns_503(app: TestApp) {
    let report = factory::report();
    app.pool.close().await;
    for answer in [app.get("/api/v1/projects").await, app.put(&report).await, app.get("/readyz").await] {
        answer.assert_problem(503, "unavailable");
        assert_eq!(answer.headers["retry-after"], "5");
    }
    assert_eq!(app.get("/healthz").await.status, 200);
}

#[database_test]
async fn busy_connections_return_503_and_store_nothing(app: TestApp) {
    let few = PgPoolOptions::new().max_connections(2).acquire_timeout(Duration::from_secs(1));
    let busy = app.another_with(few);
    let held = [busy.pool.acquire().await.unwrap(), busy.pool.acquire().await.unwrap()];
    let report = factory::report();
    let answers = tokio::join!(busy.get("/api/v1/projects"), busy.put(&report), busy.get("/readyz"));
    for answer in <[_; 3]>::from(answers) {
        answer.assert_problem(503, "unavailable");
        assert_eq!(answer.headers["retry-after"], "5");
    }
    assert_eq!(busy.get("/healthz").await.status, 200);
    assert_eq!(app.row_counts().await["run"], 0);

    drop(held);
    // Far more requests than connections, so that they wait.
    let reports: Vec<_> = (0..20).map(|_| factory::report()).collect();
    let patient = app.another_with(PgPoolOptions::new().max_connections(2));
    let answers = futures_util::future::join_all(reports.iter().map(|report| patient.put(report))).await;
    assert!(answers.iter().all(|answer| answer.status == 201), "{answers:?}");
    busy.store(&report).await;
    assert_eq!(app.row_counts().await["run"], 21);
}

/// The database raises each SQLSTATE in the middle of an upload.
#[database_test]
async fn sqlstate_selects_the_status_and_stores_nothing(app: TestApp) {
    let before = app.row_counts().await;
    for (state, status, code) in [
        ("53100", 507, "storage-full"),
        ("53200", 503, "unavailable"),
        ("40P01", 503, "unavailable"),
        ("57014", 503, "unavailable"),
        ("22P05", 422, "invalid-report"),
        ("XX000", 500, "internal"),
    ] {
        let trigger = format!(
            "create or replace function fail() returns trigger language plpgsql as
                 $$ begin raise exception 'the secret cause' using errcode = '{state}'; end $$;
             create or replace trigger fail before insert on run_result execute function fail();"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(trigger)).execute(&app.pool).await.unwrap();
        let problem = app.put(&factory::report()).await.assert_problem(status, code);
        assert_eq!(problem.detail.contains("secret"), status == 422, "{problem:?}");
        assert_eq!(app.row_counts().await, before, "{state}");
    }
}

#[database_test]
async fn every_answer_has_security_headers(app: TestApp) {
    for path in ["/", "/healthz", "/api/v1/projects", "/api/v1/nothing"] {
        let headers = app.get(path).await.headers;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        // Scripts and styles fall under default-src.
        for absent in ["script-src", "style-src", "unsafe"] {
            assert!(!policy.contains(absent), "{absent}: {policy}");
        }
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert!(headers.contains_key("x-request-id"), "{path}");
    }
}
