//! `PATCH` and `DELETE` of a project, and its members.

use crate::support::{TestApp, at, factory};
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

const PATH: &str = "/api/v1/projects/libfoo";

#[database_test]
async fn patch_changes_only_the_given_settings(app: TestApp) {
    app.store(&factory::report()).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let none = Value::Null;
    for (change, visibility, branch, least_change) in [
        (json!({"visibility": "private"}), "private", none.clone(), none.clone()),
        (json!({"default_branch": "main"}), "private", json!("main"), none.clone()),
        (json!({"least_change": 0.02}), "private", json!("main"), json!(0.02)),
        (json!({}), "private", json!("main"), json!(0.02)),
        (json!({"visibility": "public", "default_branch": null}), "public", none.clone(), json!(0.02)),
        (json!({"least_change": null}), "public", none.clone(), none),
    ] {
        let answer = app.send("PATCH", PATH, &maintainer, Some(change.clone())).await;
        let settings: Value = answer.json();
        let expected = json!({
            "project": "libfoo", "visibility": visibility, "default_branch": branch, "repository_url": null,
            "commit_url": null, "fails_on_regression": false, "least_change": least_change,
        });
        assert_eq!(settings, expected, "{change}");
        let project = app.read_as(&maintainer, PATH).await;
        let shown = at(&project, "visibility,default_branch,least_change");
        assert_eq!(shown, json!([visibility, branch, least_change]));
    }
    let admin = app.account("ada", true).await;
    let log = app.read_as(&admin, "/api/v1/audit").await;
    let newest = log["events"].as_array().unwrap().iter().find(|event| event["action"] == "project.change");
    assert_eq!(newest.unwrap()["details"]["least_change"], json!({"from": 0.02, "to": null}), "{log}");
}

#[database_test]
async fn commit_url_is_a_web_address_with_a_place_for_the_sha(app: TestApp) {
    app.store(&factory::report()).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let change =
        async |url: &str| app.send("PATCH", PATH, &maintainer, Some(json!({"commit_url": url}))).await;
    for url in ["javascript:{sha}", "https://git.example.org/libfoo", "https://git.example.org/ {sha}"] {
        change(url).await.assert_invalid("contains {sha}");
    }
    let url = "https://git.example.org/libfoo/commit/{sha}";
    assert_eq!(change(url).await.status, 200);
    assert_eq!(app.read(PATH).await["commit_url"], url);
}

#[database_test]
async fn rejects_a_least_change_that_is_no_share(app: TestApp) {
    app.store(&factory::report()).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    for (least_change, part) in [
        (json!(0), "parameter least_change: 0: expected a share above 0 and below 1"),
        (json!(-0.1), "parameter least_change: -0.1: expected a share"),
        (
            json!(1),
            "parameter least_change: 1: expected a share above 0 and below 1, for example 0.02 for 2 %, or null",
        ),
        (json!(5), "parameter least_change: 5: expected a share"),
        (json!("2 %"), "parameter least_change: invalid type: string"),
    ] {
        let change = json!({ "least_change": least_change });
        app.send("PATCH", PATH, &maintainer, Some(change)).await.assert_invalid(part);
    }
    assert_eq!(app.read(PATH).await["least_change"], Value::Null);
}

#[database_test]
async fn rejects_settings_changes_without_permission(app: TestApp) {
    app.store(&factory::report()).await;
    let contributor = app.member("carol", "libfoo", Role::Contributor).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let narrow = app.user_token("mary", &[Scope::Read, Scope::IngestWrite], &Binding::default()).await;
    let elsewhere = Binding { project: Some("another".into()), machine: None };
    let bound_elsewhere = app.user_token("mary", &Scope::ALL, &elsewhere).await;
    let change = json!({"visibility": "private"});
    for who in ["", &app.token, &contributor, &narrow, &bound_elsewhere] {
        let status = if who.is_empty() { 401 } else { 403 };
        assert_eq!(app.send("PATCH", PATH, who, Some(change.clone())).await.problem().status, status);
    }
    for who in ["", &contributor, &maintainer] {
        assert!([401, 403].contains(&app.send("DELETE", PATH, who, None).await.problem().status));
    }
    for change in
        [json!({"visibility": "secret"}), json!({"default_branch": ""}), json!({"colour": 1}), json!([])]
    {
        let answer = app.send("PATCH", PATH, &maintainer, Some(change)).await;
        answer.assert_problem(400, "invalid-parameter");
    }
    app.send("PATCH", PATH, &maintainer, None).await.assert_problem(415, "unsupported-media-type");
    assert_eq!(app.read(PATH).await["visibility"], "public");
    let events: i64 = app.scalar("select count(*) from audit_event where action like 'project.%'").await;
    assert_eq!(events, 0);
}

#[database_test]
async fn default_branch_change_moves_points(app: TestApp) {
    let runs = [
        ("of main", Some("main"), None),
        ("of a branch", Some("topic"), None),
        ("of no branch", None, None),
        ("of a pull request from main", Some("main"), Some(3)),
    ];
    let mut run_ids = Vec::new();
    for (number, (_, branch, pull_request)) in (1..).zip(runs) {
        let report = RunReport { branch: branch.map(str::to_owned), pull_request, ..factory::nth(number) };
        app.store(&report).await;
        run_ids.push(report.run_id.as_uuid());
    }
    // A summary is deleted with its run, like a point.
    app.execute("insert into summary (machine_id, series_id, commit_ordinal, run_id, commit_id, environment_id,
             work_tree_modified, latency_ns_center, quantiles, measured_at)
         select machine_id, series_id, commit_ordinal, run_id, commit_id, environment_id, false, 1, '[]', measured_at
         from point").await;
    // The points of another project do not change.
    let other = RunReport { branch: Some("topic".into()), ..factory::of_project("another") };
    app.store(&other).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    for (branch, expected) in [
        (json!("main"), [true, false, true, false]),
        (json!("topic"), [false, true, true, false]),
        (json!("gone"), [false, false, true, false]),
        (Value::Null, [true, true, true, false]),
    ] {
        let change = json!({"default_branch": branch});
        assert_eq!(app.send("PATCH", PATH, &maintainer, Some(change)).await.status, 200);
        for table in ["point", "summary"] {
            for ((name, ..), (run_id, expected)) in runs.iter().zip(run_ids.iter().zip(expected)) {
                let query = format!("select mainline from {table} where run_id = '{run_id}'");
                let mainline: bool = app.scalar(&query).await;
                assert_eq!(mainline, expected, "{table} {name} with the default branch {branch}");
            }
        }
        let others = format!("select mainline from point where run_id = '{}'", other.run_id);
        assert!(app.scalar::<bool>(&others).await);
    }
}

#[database_test]
async fn deleting_a_project_leaves_only_audit_events(app: TestApp) {
    app.store(&factory::of_project("another")).await;
    let admin = app.account("ada", true).await;
    let before = app.row_counts().await;
    app.store(&factory::report()).await;
    app.store(&factory::nth(2)).await;
    let here = Binding { project: Some("libfoo".into()), machine: None };
    let bound = app.program_token(TokenKind::Ci, &[Scope::IngestWrite], &here).await;
    app.member("mary", "libfoo", Role::Maintainer).await;

    assert_eq!(app.send("DELETE", PATH, &admin, None).await.status, 204);
    app.send("GET", PATH, &admin, None).await.assert_problem(404, "unknown-project");
    app.put_as(&bound, &factory::report()).await.assert_problem(401, "unauthenticated");
    let mut changed = app.row_counts().await;
    changed.retain(|table, count| before[table] != *count);
    let changed: Vec<_> = changed.into_keys().collect();
    assert_eq!(changed, ["account", "audit_event", "token"], "all other tables are unchanged");
    assert_eq!(app.read("/api/v1/projects/another").await["run_count"], 1);
}

#[database_test]
async fn project_admins_manage_roles(app: TestApp) {
    app.store(&factory::report()).await;
    app.hide("libfoo").await;
    let admin = app.member("ada", "libfoo", Role::Admin).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let grace = app.account("grace", false).await;
    let path = format!("{PATH}/members/grace");
    let viewer = json!({"role": "viewer"});

    app.send("PUT", &path, &maintainer, Some(viewer.clone())).await.assert_problem(403, "forbidden");
    app.send("PUT", &path, &grace, Some(viewer.clone())).await.assert_problem(404, "unknown-project");
    app.send("GET", PATH, &grace, None).await.assert_problem(404, "unknown-project");
    assert_eq!(app.send("PUT", &path, &admin, Some(viewer)).await.status, 204);
    assert_eq!(app.send("GET", PATH, &grace, None).await.status, 200);
    app.send("PATCH", PATH, &grace, Some(json!({}))).await.assert_problem(403, "forbidden");
    assert_eq!(app.send("PUT", &path, &admin, Some(json!({"role": "maintainer"}))).await.status, 204);
    assert_eq!(app.send("PATCH", PATH, &grace, Some(json!({}))).await.status, 200);

    let list = app.read_as(&admin, &format!("{PATH}/members")).await;
    let members = at(&list, "members/*/account,role");
    assert_eq!(members, json!([["ada", "admin"], ["grace", "maintainer"], ["mary", "maintainer"]]));

    assert_eq!(app.send("DELETE", &path, &admin, None).await.status, 204);
    app.send("GET", PATH, &grace, None).await.assert_problem(404, "unknown-project");
    app.send("DELETE", &path, &admin, None).await.assert_problem(404, "unknown-member");
    for (name, role, status, code) in
        [("nobody", "viewer", 404, "unknown-account"), ("grace", "owner", 400, "invalid-parameter")]
    {
        let path = format!("{PATH}/members/{name}");
        app.send("PUT", &path, &admin, Some(json!({"role": role}))).await.assert_problem(status, code);
    }
}
