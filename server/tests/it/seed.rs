//! Synthetic history: complete, reproducible, and never mixed with measured runs.

use crate::support::{TestApp, at, factory};
use roundtrip_server::seed::{Plan, SeedError, Written, seed};
use serde_json::json;

fn plan(project: &str) -> Plan {
    Plan {
        project: factory::slug(project),
        machine_count: 3,
        series_count: 20,
        commit_count: 30,
        histogram_count: Some(10),
        rng_seed: 1,
    }
}

#[database_test]
async fn seeds_a_point_per_series_and_commit_and_marks_all_as_synthetic(app: TestApp) {
    let written = seed(&app.pool, plan("seeded"), |_| {}).await.unwrap();
    assert_eq!(written, Written { point_count: 600, histogram_count: 200 });
    let counts = app.row_counts().await;
    assert_eq!((counts["machine"], counts["series"], counts["commit"]), (3, 20, 30));
    assert_eq!((counts["run"], counts["run_result"], counts["run_upload"]), (90, 90, 0));
    assert_eq!((counts["point"], counts["point_histogram"]), (600, 200));
    app.assert_counted().await;
    let wrong = "select count(*) from point
         join run on run.run_id = point.run_id
         join commit on commit.commit_id = point.commit_id
         where point.commit_ordinal <> commit.ordinal or point.machine_id <> run.machine_id
            or point.commit_id <> run.commit_id or point.environment_id <> run.environment_id
            or not point.mainline or cardinality(point.repetition_p99_ns) <> point.repetition_count";
    assert_eq!(app.scalar::<i64>(wrong).await, 0);

    let runs = app.read("/api/v1/projects/seeded/runs").await;
    for run in runs["runs"].as_array().unwrap() {
        assert_eq!(at(run, "preset,suite_version,branch"), json!(["seeded", "seed", null]));
        assert!(run["machine"].as_str().unwrap().starts_with("seeded-"));
    }
    let series = app.read("/api/v1/projects/seeded/series").await;
    for series in series["series"].as_array().unwrap() {
        assert!(series["transport"]["slug"].as_str().unwrap().starts_with("seeded-"));
        assert!(series["methodology"]["payload"].as_str().unwrap().starts_with("synthetic"));
    }
    let machines = app.read("/api/v1/projects/seeded/machines").await;
    for machine in machines["machines"].as_array().unwrap() {
        assert!(machine["environment"]["stable"]["synthetic"].is_string(), "{machine}");
    }
}

#[database_test]
async fn same_seed_gives_the_same_history(app: TestApp) {
    let first = drawn(&app, plan("seeded")).await;
    assert_eq!(drawn(&app, plan("seeded")).await, first);
    assert_ne!(drawn(&app, Plan { rng_seed: 2, ..plan("seeded") }).await, first);
    assert_ne!(drawn(&app, plan("other")).await, first);
}

/// A digest of a plan's history, which is deleted afterwards.
async fn drawn(app: &TestApp, plan: Plan) -> String {
    seed(&app.pool, plan, |_| {}).await.unwrap();
    let points = "
        select md5(string_agg(point::text || coalesce(histogram::text, ''), '' order by run_id, place)) from (
             select row_number() over (partition by point.run_id order by point.series_id) as place, point.run_id,
                    to_jsonb(point) - array['machine_id', 'series_id', 'commit_id', 'environment_id', 'chart_line']
                        as point,
                    histogram
             from point left join point_histogram using (machine_id, series_id, run_id)
         ) as point";
    let digest = app.scalar(points).await;
    let tables = "project, machine, environment, measured_case, point, point_histogram, run_result";
    app.execute(&format!("truncate {tables} cascade")).await;
    digest
}

#[database_test]
async fn does_not_seed_a_project_with_runs(app: TestApp) {
    app.store(&factory::report()).await;
    let before = app.row_counts().await;
    let refused = seed(&app.pool, plan("libfoo"), |_| {}).await.unwrap_err();
    assert!(matches!(refused, SeedError::HasRuns(_)), "{refused}");
    assert!(refused.to_string().contains("--project"), "{refused}");
    assert_eq!(app.row_counts().await, before);
}
