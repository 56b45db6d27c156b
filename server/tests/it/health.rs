//! `/healthz` and `/readyz`.

use crate::support::TestApp;

#[database_test]
async fn ready_with_all_migrations_only(app: TestApp) {
    for path in ["/healthz", "/readyz"] {
        let answer = app.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.body.as_slice()), (200, b"ok".as_slice()), "{path}");
    }
    let last = roundtrip_server::MIGRATOR.iter().map(|migration| migration.version).max().unwrap();
    app.execute(&format!("delete from _sqlx_migrations where version = '{last}'")).await;
    let problem = app.get("/readyz").await.assert_problem(503, "schema-behind");
    assert!(problem.detail.contains(&last.to_string()), "{problem:?}");
    app.execute("drop table _sqlx_migrations").await;
    app.get("/readyz").await.assert_problem(503, "schema-behind");
}

#[database_test]
async fn stopping_server_is_alive_but_not_ready(app: TestApp) {
    app.state.announce_stop();
    assert_eq!(app.get("/healthz").await.status, 200);
    let problem = app.get("/readyz").await;
    problem.assert_problem(503, "stopping");
    assert!(problem.headers.contains_key("retry-after"));
    assert_eq!(app.get("/api/v1/projects").await.status, 200, "requests are still answered");
}
