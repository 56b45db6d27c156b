//! The order of commits, whole clones and shallow ones.

use crate::support::{TestApp, factory};
use roundtrip_wire::RunReport;
use sqlx::PgPool;

/// Ordinals of the charted commits, by their numbers.
async fn charted(app: &TestApp) -> Vec<(String, i64)> {
    let points = app.read("/api/v1/points?series=1").await;
    let commits = points["commits"].as_array().unwrap();
    let of_points: Vec<_> = points["series"][0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| (point["commit_sha"].clone(), point["commit_ordinal"].clone()))
        .collect();
    let of_commits: Vec<_> =
        commits.iter().map(|commit| (commit["sha"].clone(), commit["ordinal"].clone())).collect();
    assert_eq!(of_points, of_commits, "points and commits agree");
    commits
        .iter()
        .map(|commit| (commit["subject"].as_str().unwrap().to_owned(), commit["ordinal"].as_i64().unwrap()))
        .collect()
}

fn expected(places: &[(u64, i64)]) -> Vec<(String, i64)> {
    places.iter().map(|(number, ordinal)| (format!("Change {number}"), *ordinal)).collect()
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn commits_stand_where_the_agent_says_whatever_the_order_of_uploads(pool: PgPool) {
    let app = TestApp::new(pool).await;
    for number in [9, 3, 5] {
        app.store(&factory::report_at(factory::commit(number, Some(number)))).await;
    }
    assert_eq!(charted(&app).await, expected(&[(3, 3), (5, 5), (9, 9)]));
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_shallow_clone_is_placed_by_its_stored_parent(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report_at(factory::commit(7, Some(41)))).await;
    app.store(&factory::report_at(factory::commit(8, None))).await;
    assert_eq!(charted(&app).await, expected(&[(7, 41), (8, 42)]));
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_shallow_clone_is_placed_through_its_history(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report_at(factory::commit(5, Some(5)))).await;
    let history = vec![factory::commit(7, None), factory::commit(6, None)];
    app.store(&RunReport { history, ..factory::report_at(factory::commit(8, None)) }).await;
    assert_eq!(charted(&app).await, expected(&[(5, 5), (8, 8)]));
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn commits_without_relation_stand_behind_all_others_until_something_certain_arrives(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report_at(factory::commit(2, Some(2)))).await;
    // Nothing relates 20 and 21 to 2.
    app.store(&factory::report_at(factory::commit(20, None))).await;
    app.store(&factory::report_at(factory::commit(21, None))).await;
    app.store(&factory::report_at(factory::commit(10, Some(10)))).await;
    assert_eq!(charted(&app).await, expected(&[(2, 2), (20, 3), (21, 4), (10, 10)]));

    // A whole clone measures 22 and knows: 21 follows from it, and 20 from the history; their points move along.
    let history = vec![factory::commit(21, Some(21)), factory::commit(20, Some(20))];
    app.store(&RunReport { history, ..factory::report_at(factory::commit(22, Some(22))) }).await;
    assert_eq!(charted(&app).await, expected(&[(2, 2), (10, 10), (20, 20), (21, 21), (22, 22)]));
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn an_ancestor_that_becomes_certain_moves_its_estimated_descendants(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report_at(factory::commit(50, Some(50)))).await;
    for number in [30, 31, 32] {
        app.store(&factory::report_at(factory::commit(number, None))).await;
    }
    assert_eq!(charted(&app).await, expected(&[(50, 50), (30, 51), (31, 52), (32, 53)]));
    app.store(&factory::report_at(factory::commit(30, Some(30)))).await;
    let after: Vec<_> = sqlx::query_as::<_, (String, i64)>(
        "select distinct commit.subject, point.commit_ordinal from point join commit using (commit_id)
         order by point.commit_ordinal",
    )
    .fetch_all(&app.pool)
    .await
    .unwrap();
    assert_eq!(after, expected(&[(30, 30), (31, 31), (32, 32), (50, 50)]));
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn the_same_commit_measured_twice_has_two_points(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let earlier = factory::report();
    let later = RunReport { started_at: factory::time(120), ..factory::report() };
    app.store(&later).await;
    app.store(&earlier).await;
    let points = app.read("/api/v1/points?series=1").await;
    assert_eq!(points["commits"].as_array().unwrap().len(), 1);
    let measured: Vec<_> = points["series"][0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["measured_at"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(measured, ["2026-11-21T10:01:40Z", "2026-11-21T10:02:00Z"]);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn two_projects_order_the_same_commit_by_themselves(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report_at(factory::commit(4, Some(4)))).await;
    let other =
        RunReport { project: factory::slug("fork"), ..factory::report_at(factory::commit(4, Some(44))) };
    app.store(&other).await;
    let of = async |project: &str| {
        app.read(&format!("/api/v1/projects/{project}")).await["latest_run"]["commit"]["ordinal"]
            .as_i64()
            .unwrap()
    };
    assert_eq!((of("libfoo").await, of("fork").await), (4, 44));
}
