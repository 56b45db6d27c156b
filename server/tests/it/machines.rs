//! `/api/v1/projects/{project}/machines`.

use crate::support::{TestApp, factory};
use serde_json::json;
use sqlx::PgPool;

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_machine_shows_the_environment_of_its_newest_run(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report()).await;
    let mut newest = factory::report();
    newest.environment.stable.insert("os.kernel".into(), "6.2.0".into());
    newest.environment.conditions.insert("load.1min".into(), "1.75".into());
    newest.started_at = factory::time(130);
    app.store(&newest).await;
    let mut other = factory::report();
    other.machine.slug = factory::slug("a-mac");
    other.machine.os = factory::slug("macos");
    app.store(&other).await;

    let machines = app.read("/api/v1/projects/libfoo/machines").await;
    assert_eq!(machines["machines"][0]["machine"], "a-mac");
    assert_eq!(machines["machines"][0]["os"], "macos");
    assert_ne!(machines["machines"][0]["environment_id"], machines["machines"][1]["environment_id"]);
    let machine = &machines["machines"][1];
    assert_eq!((&machine["run_count"], &machine["suspect_because"]), (&2.into(), &serde_json::Value::Null));
    assert_eq!(machine["last_run_at"], "2026-11-21T10:02:10Z");
    assert_eq!(
        machine["environment"],
        json!({"stable": {"os.kernel": "6.2.0"}, "conditions": {"load.1min": "1.75"}})
    );
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn conditions_do_not_make_another_environment(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report()).await;
    let mut busy = factory::report();
    busy.environment.conditions.insert("load.1min".into(), "9.99".into());
    app.store(&busy).await;
    assert_eq!(app.row_counts().await["environment"], 1);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn the_environments_of_a_machine_come_with_their_time_and_facts_the_last_first(pool: PgPool) {
    let app = TestApp::new(pool).await;
    app.store(&factory::report()).await;
    let mut later = factory::report();
    later.started_at = factory::time(130);
    app.store(&later).await;
    let mut updated = factory::report();
    updated.environment.stable.insert("os.kernel".into(), "6.2.0".into());
    updated.started_at = factory::time(140);
    app.store(&updated).await;
    let mut other = factory::report();
    other.machine.slug = factory::slug("a-mac");
    other.environment.stable.insert("os.kernel".into(), "25.1.0".into());
    app.store(&other).await;

    let path = format!("/api/v1/projects/libfoo/machines/{}/environments", factory::report().machine.slug);
    let answer = app.read(&path).await;
    let [last, first] = answer["environments"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!((&last["run_count"], &first["run_count"]), (&1.into(), &2.into()));
    assert_eq!(last["stable"]["os.kernel"], "6.2.0");
    assert_eq!(last["first_run_at"], last["last_run_at"]);
    assert_eq!(first["last_run_at"], "2026-11-21T10:02:10Z");
    assert!(first["first_run_at"].as_str() < first["last_run_at"].as_str());
    let unknown = app.get("/api/v1/projects/libfoo/machines/nowhere/environments").await;
    unknown.assert_problem(404, "unknown-machine");
}
