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
