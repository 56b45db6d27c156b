//! Retention: old data is deleted in steps; everything else stays unchanged.

use crate::support::{TestApp, at, factory};
use axum::http::StatusCode;
use chrono::Utc;
use roundtrip_domain::tasks::TaskError;
use roundtrip_domain::tasks::retention::{preview, prune};
use roundtrip_server::seed::{Plan, seed};
use roundtrip_storage::{retention, task};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;
use std::time::Duration;

/// Sets the days that a project keeps uploads, distributions and points.
async fn keep(app: &TestApp, project: &str, days: [Option<i32>; 3]) {
    let policies = retention::policies(&app.pool).await.unwrap();
    let mut policy = policies.into_iter().find(|policy| policy.project == project).unwrap();
    [policy.upload_retention_days, policy.histogram_retention_days, policy.point_retention_days] = days;
    assert!(retention::set(&app.pool, &policy).await.unwrap());
}

/// Stores a run that arrived this many days ago.
async fn stored(app: &TestApp, number: u64, days_ago: i32) -> RunReport {
    let report = factory::nth(number);
    app.store(&report).await;
    age(app, &report, days_ago).await;
    report
}

async fn age(app: &TestApp, report: &RunReport, days_ago: i32) {
    app.execute(&format!(
        "update run set received_at = now() - make_interval(days => '{days_ago}') where run_id = '{}'",
        report.run_id.as_uuid()
    ))
    .await;
}

async fn prune_now(app: &TestApp) -> u64 {
    let removed = prune(&app.pool, Utc::now(), None, || false).await.unwrap();
    removed.iter().map(|of_project| of_project.run_count).sum()
}

/// The point of a run in the only series.
async fn point(app: &TestApp, report: &RunReport) -> Value {
    let run = app.run(report).await;
    let series_id = &run["results"][0]["series_id"];
    app.read(&format!("/api/v1/runs/{}/series/{series_id}", report.run_id)).await
}

#[database_test]
async fn prunes_uploads_and_keeps_points(app: TestApp) {
    let (old, new) = (stored(&app, 1, 91).await, stored(&app, 2, 89).await);
    let (point_before, path) = (point(&app, &old).await, format!("/api/v1/runs/{}", old.run_id));
    let run_before = app.run(&old).await;
    keep(&app, "libfoo", [Some(90), None, None]).await;
    assert_eq!(prune_now(&app).await, 1);
    assert_eq!(prune_now(&app).await, 0, "the upload is already deleted");

    let run = app.run(&old).await;
    assert!(run["pruned"]["upload_at"].is_string(), "{run}");
    assert_eq!(run["results"][0]["observed"], Value::Null);
    assert_eq!(run["results"][0]["point"], run_before["results"][0]["point"]);
    assert_eq!(run["results"][0]["counters"], run_before["results"][0]["counters"]);
    let after = point(&app, &old).await;
    assert_eq!(after["repetitions"], json!([]));
    assert!(after["pruned"]["upload_at"].is_string(), "{after}");
    assert_eq!(after["histogram"], point_before["histogram"]);
    let gone = app.get(&format!("{path}/report")).await.assert_problem(410, "pruned");
    assert!(gone.detail.contains(&Utc::now().format("%Y-%m-%d").to_string()), "{gone:?}");
    let again = app.put(&old).await;
    assert_eq!(again.status, StatusCode::OK, "a repeated upload is still recognised");

    app.read(&format!("/api/v1/runs/{}/report", new.run_id)).await;
    assert_eq!(app.run(&new).await["pruned"]["upload_at"], Value::Null);
}

#[database_test]
async fn prunes_imported_files_and_keeps_their_description(app: TestApp) {
    let report = factory::nth_with(1, Vec::new());
    app.import(&report, "results.json", br#"{"latency/ipc": {"latency": {"value": 1200.5}}}"#).await;
    age(&app, &report, 400).await;
    keep(&app, "libfoo", [Some(365), None, None]).await;
    let (due, amount) = preview(&app.pool, Utc::now()).await.unwrap().remove(0);
    assert!(due.to_string().starts_with("libfoo: uploads from before "), "{due}");
    assert!(amount.run_count == 1 && amount.byte_count > 48, "{amount:?}");
    assert_eq!(app.row_counts().await["run_upload"], 1, "a preview deletes nothing");

    assert_eq!(prune_now(&app).await, 1);
    assert_eq!(app.run(&report).await["original"]["name"], "results.json");
    app.get(&format!("/api/v1/runs/{}/original", report.run_id)).await.assert_problem(410, "pruned");
}

#[database_test]
async fn prunes_distributions_and_keeps_charts(app: TestApp) {
    let old = stored(&app, 1, 10).await;
    let before = point(&app, &old).await;
    keep(&app, "libfoo", [None, Some(9), None]).await;
    assert_eq!(prune_now(&app).await, 1);
    let after = point(&app, &old).await;
    assert_eq!(after["histogram"], json!([]));
    assert!(after["pruned"]["histograms_at"].is_string(), "{after}");
    assert!(after["pruned"]["upload_at"].is_null(), "{after}");
    assert_eq!(at(&after, "point,repetitions"), at(&before, "point,repetitions"));
    let charted = app.read(&format!("/api/v1/points?series={}", series_id(&app).await)).await;
    assert_eq!(charted["series"][0]["points"].as_array().unwrap().len(), 1);
}

#[database_test]
async fn prunes_points_and_keeps_runs(app: TestApp) {
    let (old, new) = (stored(&app, 1, 10).await, stored(&app, 2, 8).await);
    keep(&app, "libfoo", [None, None, Some(9)]).await;
    assert_eq!(prune_now(&app).await, 1);
    let counts = app.row_counts().await;
    for table in ["point", "point_histogram", "run_result", "run_upload"] {
        assert_eq!(counts[table], 1, "{table}");
    }
    assert_eq!(counts["run"], 2);
    let run = app.run(&old).await;
    assert_eq!(run["results"], json!([]));
    assert!(run["pruned"]["points_at"].is_string(), "{run}");
    let path = format!("/api/v1/runs/{}/series/{}", old.run_id, series_id(&app).await);
    app.get(&path).await.assert_problem(410, "pruned");
    app.get(&format!("/api/v1/runs/{}/report", old.run_id)).await.assert_problem(410, "pruned");
    assert_eq!(app.put(&old).await.status, StatusCode::OK, "a repeated upload is still recognised");
    assert!(!point(&app, &new).await["histogram"].as_array().unwrap().is_empty());
}

#[database_test]
async fn keeps_everything_without_retention(app: TestApp) {
    stored(&app, 1, 30_000).await;
    let other = factory::of_project("other");
    app.store(&other).await;
    age(&app, &other, 30_000).await;
    keep(&app, "other", [Some(1), Some(1), Some(1)]).await;
    assert_eq!(prune_now(&app).await, 1, "points and everything else except the run");
    let counts = app.row_counts().await;
    assert_eq!((counts["run_upload"], counts["point_histogram"], counts["point"]), (1, 1, 1));
}

#[database_test]
async fn prunes_in_several_transactions(app: TestApp) {
    let plan = Plan {
        project: factory::slug("seeded"),
        machine_count: 2,
        series_count: 4,
        commit_count: 230,
        histogram_count: Some(230),
        rng_seed: 1,
    };
    seed(&app.pool, plan, |_| {}).await.unwrap();
    // All except the last ten commits.
    let newer = "select commit_id from commit where ordinal > 220";
    app.execute(&format!("update run set received_at = now() where commit_id in ({newer})")).await;
    keep(&app, "seeded", [None, Some(30), None]).await;
    assert_eq!(prune_now(&app).await, 440);
    assert_eq!(app.row_counts().await["point_histogram"], 40);
    keep(&app, "seeded", [None, None, Some(30)]).await;
    assert_eq!(prune_now(&app).await, 440);
    let counts = app.row_counts().await;
    assert_eq!((counts["point"], counts["run_result"], counts["run"]), (40, 20, 460));
}

#[database_test]
async fn stops_pruning_on_request(app: TestApp) {
    stored(&app, 1, 10).await;
    keep(&app, "libfoo", [Some(1), None, None]).await;
    let removed = prune(&app.pool, Utc::now(), None, || true).await.unwrap();
    assert_eq!(removed[0].run_count, 0);
    assert_eq!(prune_now(&app).await, 1);
}

#[database_test]
async fn one_server_holds_the_lease(pool: PgPool) {
    const LEASE: Duration = Duration::from_secs(3_600);
    task::ensure(&pool, "work").await.unwrap();
    task::ensure(&pool, "work").await.unwrap();
    let first = task::claim(&pool, "work", LEASE).await.unwrap().unwrap();
    assert_eq!(task::claim(&pool, "work", LEASE).await.unwrap(), None, "another server holds the lease");
    task::finish(&pool, first, Duration::ZERO, None).await.unwrap();
    let second = task::claim(&pool, "work", Duration::ZERO).await.unwrap().unwrap();
    let third = task::claim(&pool, "work", LEASE).await.unwrap().unwrap();
    let mut connection = pool.acquire().await.unwrap();
    assert!(!task::renew(&mut connection, second, LEASE).await.unwrap(), "the second lease has expired");
    assert!(task::renew(&mut connection, third, LEASE).await.unwrap());
    task::finish(&pool, second, Duration::ZERO, None).await.unwrap();
    assert_eq!(task::claim(&pool, "work", LEASE).await.unwrap(), None, "the third lease is still valid");
    task::finish(&pool, third, LEASE, Some("no reason")).await.unwrap();
    assert_eq!(task::claim(&pool, "work", LEASE).await.unwrap(), None, "it is not due");
}

#[database_test]
async fn expired_lease_stops_pruning(app: TestApp) {
    stored(&app, 1, 10).await;
    keep(&app, "libfoo", [Some(1), None, None]).await;
    task::ensure(&app.pool, "work").await.unwrap();
    let held_up = task::claim(&app.pool, "work", Duration::ZERO).await.unwrap();
    task::claim(&app.pool, "work", Duration::from_secs(60)).await.unwrap().unwrap();
    let ended = prune(&app.pool, Utc::now(), held_up, || false).await.unwrap_err();
    assert!(matches!(ended, TaskError::LeaseLost), "{ended}");
    assert_eq!(app.row_counts().await["run_upload"], 1);
}

#[database_test]
async fn retention_is_at_least_one_day(app: TestApp) {
    stored(&app, 1, 0).await;
    let mut policy = retention::policies(&app.pool).await.unwrap().remove(0);
    policy.point_retention_days = Some(0);
    assert!(retention::set(&app.pool, &policy).await.is_err());
}

async fn series_id(app: &TestApp) -> i64 {
    app.scalar("select series_id from series").await
}
