//! Quarantined runs: visible, but without effect on trends, comparisons and alerts.

use crate::support::{Answer, TestApp, at, factory};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

/// Uploads a report as quarantined.
async fn put(app: &TestApp, report: &RunReport) -> Answer {
    let body = serde_json::to_vec(report).unwrap();
    app.put_bytes(&format!("{}?quarantined=true", report.run_id), &[], body).await
}

/// A report that a fork could forge: it claims the main branch and arbitrary commits.
fn of_fork() -> RunReport {
    RunReport {
        branch: Some("main".into()),
        default_branch: Some("fork".into()),
        history: vec![factory::commit(8, Some(1_000)), factory::commit(2, Some(900))],
        ..factory::report_at(factory::commit(9, Some(5_000)))
    }
}

#[database_test]
async fn quarantined_run_is_visible_outside_the_trend(app: TestApp) {
    app.store(&factory::report()).await;
    let report = of_fork();
    assert_eq!(put(&app, &report).await.status, 201);
    let run = app.run(&report).await;
    assert_eq!(run["run"]["quarantined"], true);
    let runs = app.read("/api/v1/projects/libfoo/runs").await;
    assert_eq!(at(&runs, "runs/*/quarantined"), json!([true, false]));
    let of_run = format!("where run_id = '{}'", report.run_id);
    let mainline: Vec<bool> = app.scalars(&format!("select mainline from point {of_run}")).await;
    assert_eq!(mainline, [false]);
    // Nor by its branch name, which the fork chooses.
    let series: i64 = app.scalar("select series_id from series").await;
    let line = app.read(&format!("/api/v1/charts/line?series={series}&branch=main")).await;
    assert!(!line.to_string().contains(&report.run_id.to_string()), "{line}");
    // Change detection ignores it.
    let due: i64 = app.scalar(&format!("select count(*) from analysis_due {of_run}")).await;
    assert_eq!(due, 0);
}

#[database_test]
async fn default_branch_change_keeps_it_outside_the_trend(app: TestApp) {
    app.store(&factory::report()).await;
    let report = of_fork();
    assert_eq!(put(&app, &report).await.status, 201);
    let ada = app.member("ada", "libfoo", roundtrip_storage::access::Role::Maintainer).await;
    for branch in ["other", "main"] {
        let change = json!({"default_branch": branch});
        let answer = app.send("PATCH", "/api/v1/projects/libfoo", &ada, Some(change)).await;
        assert!(answer.status.is_success(), "{answer:?}");
    }
    let trend = "select run_id from point where mainline";
    let trend: Vec<uuid::Uuid> = app.scalars(trend).await;
    assert!(!trend.is_empty() && !trend.contains(&report.run_id.as_uuid()), "{trend:?}");
}

#[database_test]
async fn quarantined_run_moves_no_commits(app: TestApp) {
    // From a shallow clone, so that its ordinal is estimated.
    app.store(&factory::report_at(factory::commit(8, None))).await;
    let places = async || {
        let places = "select sha, ordinal, ordinal_is_estimate from commit order by sha";
        app.rows::<(String, i64, bool)>(places).await
    };
    let before = places().await;
    assert_eq!(put(&app, &of_fork()).await.status, 201);
    let after = places().await;
    assert_eq!(after[..before.len()], before[..]);
    let own = (factory::sha(9).to_string(), before[0].1 + 1, true);
    assert_eq!(after[before.len()..], [own]);
    assert_eq!(app.read("/api/v1/projects/libfoo").await["default_branch"], Value::Null);
}

#[database_test]
async fn quarantine_cannot_be_changed_by_reupload(app: TestApp) {
    let (strange, own) = (of_fork(), factory::report());
    assert_eq!(put(&app, &strange).await.status, 201);
    assert_eq!(app.put(&strange).await.status, 200);
    app.store(&own).await;
    assert_eq!(put(&app, &own).await.status, 200);
    for (report, quarantined) in [(&strange, true), (&own, false)] {
        assert_eq!(app.run(report).await["run"]["quarantined"], quarantined);
    }
}

#[database_test]
async fn rejects_an_invalid_boolean(app: TestApp) {
    let report = factory::report();
    let body = serde_json::to_vec(&report).unwrap();
    let answer = app.put_bytes(&format!("{}?quarantined=perhaps", report.run_id), &[], body).await;
    answer.assert_invalid("quarantined");
}
