//! The order of commits, from full and shallow clones.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::RunReport;
use serde_json::json;

/// Ordinals of the charted commits, by their numbers.
async fn charted(app: &TestApp) -> Vec<(String, i64)> {
    let points = app.read("/api/v1/points?series=1").await;
    let of_points = at(&points, "series/0/points/*/commit_sha,commit_ordinal");
    assert_eq!(of_points, at(&points, "commits/*/sha,ordinal"), "points and commits agree");
    serde_json::from_value(at(&points, "commits/*/subject,ordinal")).unwrap()
}

fn expected(places: &[(u64, i64)]) -> Vec<(String, i64)> {
    places.iter().map(|(number, ordinal)| (format!("Change {number}"), *ordinal)).collect()
}

#[database_test]
async fn commit_order_does_not_depend_on_uploads(app: TestApp) {
    for number in [9, 3, 5] {
        app.store(&factory::nth(number)).await;
    }
    assert_eq!(charted(&app).await, expected(&[(3, 3), (5, 5), (9, 9)]));
}

#[database_test]
async fn places_a_shallow_clone_by_its_parent(app: TestApp) {
    app.store(&factory::report_at(factory::commit(7, Some(41)))).await;
    app.store(&factory::report_at(factory::commit(8, None))).await;
    assert_eq!(charted(&app).await, expected(&[(7, 41), (8, 42)]));
}

#[database_test]
async fn places_a_shallow_clone_by_its_history(app: TestApp) {
    app.store(&factory::nth(5)).await;
    let history = vec![factory::commit(7, None), factory::commit(6, None)];
    app.store(&RunReport { history, ..factory::report_at(factory::commit(8, None)) }).await;
    assert_eq!(charted(&app).await, expected(&[(5, 5), (8, 8)]));
}

#[database_test]
async fn unrelated_commits_come_last(app: TestApp) {
    app.store(&factory::nth(2)).await;
    // 20 and 21 are unrelated to 2.
    app.store(&factory::report_at(factory::commit(20, None))).await;
    app.store(&factory::report_at(factory::commit(21, None))).await;
    app.store(&factory::nth(10)).await;
    assert_eq!(charted(&app).await, expected(&[(2, 2), (20, 3), (21, 4), (10, 10)]));

    // A full clone measures 22. Its parents place 21, and its history places 20. Their points move too.
    let history = vec![factory::commit(21, Some(21)), factory::commit(20, Some(20))];
    app.store(&RunReport { history, ..factory::nth(22) }).await;
    assert_eq!(charted(&app).await, expected(&[(2, 2), (10, 10), (20, 20), (21, 21), (22, 22)]));
}

#[database_test]
async fn known_ancestor_moves_estimated_descendants(app: TestApp) {
    app.store(&factory::nth(50)).await;
    for number in [30, 31, 32] {
        app.store(&factory::report_at(factory::commit(number, None))).await;
    }
    assert_eq!(charted(&app).await, expected(&[(50, 50), (30, 51), (31, 52), (32, 53)]));
    app.store(&factory::nth(30)).await;
    let moved =
        "select distinct commit.subject, point.commit_ordinal from point join commit using (commit_id)
                 order by point.commit_ordinal";
    assert_eq!(app.rows::<(String, i64)>(moved).await, expected(&[(30, 30), (31, 31), (32, 32), (50, 50)]));
}

#[database_test]
async fn commit_measured_twice_has_two_points(app: TestApp) {
    let earlier = factory::report();
    let later = RunReport { started_at: factory::time(120), ..factory::report() };
    app.store(&later).await;
    app.store(&earlier).await;
    let points = app.read("/api/v1/points?series=1").await;
    assert_eq!(points["commits"].as_array().unwrap().len(), 1);
    let measured = at(&points, "series/0/points/*/measured_at");
    assert_eq!(measured, json!(["2026-11-21T10:01:40Z", "2026-11-21T10:02:00Z"]));
}

#[database_test]
async fn projects_order_commits_independently(app: TestApp) {
    app.store(&factory::nth(4)).await;
    let other =
        RunReport { project: factory::slug("fork"), ..factory::report_at(factory::commit(4, Some(44))) };
    app.store(&other).await;
    let projects = app.read("/api/v1/projects").await;
    let ordinals = at(&projects, "projects/*/project,latest_run/commit/ordinal");
    assert_eq!(ordinals, json!([["fork", 44], ["libfoo", 4]]));
}
