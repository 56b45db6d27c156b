//! `/api/v1/projects` and `/api/v1/projects/{project}`.

use crate::support::{TestApp, at, factory};
use serde_json::json;

#[database_test]
async fn project_shows_counts_and_newest_run(app: TestApp) {
    assert_eq!(app.read("/api/v1/projects").await, json!({"projects": [], "next_after": null}));
    app.store(&factory::report()).await;
    app.store(&factory::report()).await;
    let mut newest = factory::on("lab-2", factory::nth(2));
    newest.results.push(factory::unsupported("posix-mq", "not on macOS"));
    app.store(&newest).await;
    app.store(&factory::of_project("another")).await;

    let list = app.read("/api/v1/projects").await;
    assert_eq!(at(&list, "projects/*/project"), json!(["another", "libfoo"]));
    let project = app.read("/api/v1/projects/libfoo").await;
    assert_eq!(project, list["projects"][1]);
    assert_eq!(at(&project, "run_count,commit_count,machine_count,series_count"), json!([3, 2, 2, 3]));
    assert_eq!(project["last_run_at"], "2026-11-21T10:01:40Z");
    assert_eq!(project["latest_run"]["run_id"], newest.run_id.to_string());
    assert_eq!(project["latest_run"]["unsupported_count"], 1);
}

#[database_test]
async fn unknown_project_is_not_found_everywhere(app: TestApp) {
    for path in
        ["", "/machines", "/runs", "/series", "/events", "/error-rates", "/runs.atom", "/regressions.atom"]
    {
        let answer = app.get(&format!("/api/v1/projects/nobody{path}")).await;
        let problem = answer.assert_problem(404, "unknown-project");
        assert_eq!(problem.detail, "project not found: nobody");
    }
}
