//! Accounts and the audit log.

use crate::distributed_tidy::queries;
use crate::support::{TestApp, at, factory, texts};
use roundtrip_storage::access::{Binding, Role, Scope};
use serde_json::{Value, json};

#[database_test]
async fn administrators_create_and_delete_accounts(app: TestApp) {
    let ada = app.account("ada", true).await;
    let answer = app.send("POST", "/api/v1/accounts", &ada, Some(json!({"name": "grace"}))).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (201, "no-store"));
    let made: Value = answer.json();
    let grace = made["token"].as_str().unwrap();
    assert!(grace.starts_with("rtu_"));
    let info = app.read_as(grace, "/api/v1/session").await;
    assert_eq!(info["account"], json!({"name": "grace", "is_admin": false, "roles": {}}));

    let with_github = json!({"name": "linus", "github_login": "linus-t"});
    let made: Value = app.send("POST", "/api/v1/accounts", &ada, Some(with_github)).await.json();
    assert_eq!(made["token"], Value::Null, "it signs in with GitHub");
    for taken in [json!({"name": "grace"}), json!({"name": "other", "github_login": "Linus-T"})] {
        app.send("POST", "/api/v1/accounts", &ada, Some(taken)).await.assert_problem(409, "taken");
    }
    for wrong in [json!({"name": "A B"}), json!({"name": "x", "github_login": "a b"}), json!({})] {
        app.send("POST", "/api/v1/accounts", &ada, Some(wrong))
            .await
            .assert_problem(400, "invalid-parameter");
    }
    let list = app.read_as(&ada, "/api/v1/accounts").await;
    assert_eq!(texts(&list, "accounts/*/name"), ["ada", "grace", "linus"]);

    assert_eq!(app.send("DELETE", "/api/v1/accounts/grace", &ada, None).await.status, 204);
    app.send("GET", "/api/v1/session", grace, None).await.assert_problem(401, "unauthenticated");
    let answer = app.send("DELETE", "/api/v1/accounts/grace", &ada, None).await;
    answer.assert_problem(404, "unknown-account");
}

#[database_test]
async fn only_administrators_see_accounts_and_the_audit_log(app: TestApp) {
    app.store(&factory::report()).await;
    let project_admin = app.member("mary", "libfoo", Role::Admin).await;
    app.account("ada", true).await;
    let reader = app.user_token("ada", &[Scope::Read], &Binding::default()).await;
    let here = Binding { project: Some("libfoo".into()), machine: None };
    let bound = app.user_token("ada", &Scope::ALL, &here).await;
    for who in ["", &app.token, &project_admin, &reader, &bound] {
        let status = if who.is_empty() { 401 } else { 403 };
        for path in ["/api/v1/accounts", "/api/v1/audit"] {
            assert_eq!(app.send("GET", path, who, None).await.problem().status, status, "{path} {who:?}");
        }
        let answer = app.send("POST", "/api/v1/accounts", who, Some(json!({"name": "x"}))).await;
        assert_eq!(answer.problem().status, status);
    }
}

#[database_test]
async fn audits_every_permission_change(app: TestApp) {
    app.store(&factory::report()).await;
    let ada = app.account("ada", true).await;
    let send = async |method, path: &str, body| app.send(method, path, &ada, body).await;
    send("POST", "/api/v1/accounts", Some(json!({"name": "grace"}))).await;
    send("PUT", "/api/v1/projects/libfoo/members/grace", Some(json!({"role": "viewer"}))).await;
    send("PUT", "/api/v1/projects/libfoo/members/grace", Some(json!({"role": "admin"}))).await;
    send("DELETE", "/api/v1/projects/libfoo/members/grace", None).await;
    let token = json!({"name": "ci", "kind": "ci", "project": "libfoo"});
    let token: Value = send("POST", "/api/v1/tokens", Some(token)).await.json();
    let path = format!("/api/v1/tokens/{}", token["token"]["token_id"]);
    let rotated: Value = send("POST", &format!("{path}/rotate"), Some(json!({}))).await.json();
    send("DELETE", &path, None).await;
    send("PATCH", "/api/v1/projects/libfoo", Some(json!({"visibility": "private"}))).await;
    send("PATCH", "/api/v1/projects/libfoo", Some(json!({}))).await;
    let gone = send("DELETE", "/api/v1/projects/libfoo", None).await;
    send("DELETE", "/api/v1/accounts/grace", None).await;

    let log = app.read_as(&ada, "/api/v1/audit").await;
    let events = log["events"].as_array().unwrap();
    let lines = events.iter().rev().map(|event| at(event, "action,subject")).collect::<Vec<_>>();
    let token = format!("token:{}", token["token"]["token_id"]);
    assert_eq!(
        json!(lines),
        json!([
            ["account.create", "account:ada"],
            ["token.create", lines[1][1]],
            ["account.create", "account:grace"],
            ["token.create", lines[3][1]],
            ["membership.set", "project:libfoo"],
            ["membership.set", "project:libfoo"],
            ["membership.remove", "project:libfoo"],
            ["token.create", token],
            ["token.rotate", token],
            ["token.revoke", token],
            ["project.change", "project:libfoo"],
            ["project.delete", "project:libfoo"],
            ["account.delete", "account:grace"],
        ])
    );
    assert_eq!(events.last().unwrap()["actor"], "command-line");
    assert_eq!(events[0]["actor"], "account:ada");
    let change = &events[7]["details"];
    assert_eq!((&change["from"], &change["to"]), (&json!("viewer"), &json!("admin")));
    assert_eq!(events[1]["request_id"], gone.headers["x-request-id"].to_str().unwrap());
    for secret in [&ada, rotated["secret"].as_str().unwrap()] {
        assert!(!log.to_string().contains(&secret[..12]), "the log contains no secret");
    }
}

#[database_test]
async fn lists_are_paged(app: TestApp) {
    app.store(&factory::report()).await;
    let ada = app.account("ada", true).await;
    for name in ["grace", "linus", "mary"] {
        app.member(name, "libfoo", Role::Viewer).await;
    }
    for (path, list, name, count) in [
        ("/api/v1/audit", "events", "subject", 8),
        ("/api/v1/accounts", "accounts", "name", 4),
        ("/api/v1/tokens", "tokens", "prefix", 5),
        ("/api/v1/projects/libfoo/members", "members", "account", 3),
    ] {
        let whole = app.read_as(&ada, path).await;
        assert_eq!(whole["next_after"], Value::Null);
        let names = |page: &Value| texts(page, &format!("{list}/*/{name}"));
        let pages = app.pages(&ada, &format!("{path}?limit=2")).await;
        assert!(pages.iter().all(|page| names(page).len() <= 2), "{pages:?}");
        let found: Vec<_> = pages.iter().flat_map(names).collect();
        assert_eq!((found.len(), found), (count, names(&whole)), "{path}");
        for wrong in ["after=%25", "limit=0", "limit=1001", "before=1"] {
            app.send("GET", &format!("{path}?{wrong}"), &ada, None)
                .await
                .assert_problem(400, "invalid-parameter");
        }
    }
}

/// A constraint makes the insert into the audit log fail.
#[database_test]
async fn change_fails_if_it_cannot_be_audited(app: TestApp) {
    let ada = app.account("ada", true).await;
    let check = "check (action <> 'account.create') not valid";
    app.execute(&format!("alter table audit_event add constraint audit_event_test_check {check}")).await;
    let answer = app.send("POST", "/api/v1/accounts", &ada, Some(json!({"name": "grace"}))).await;
    answer.assert_problem(500, "internal");
    let list = app.read_as(&ada, "/api/v1/accounts").await;
    assert_eq!(list["accounts"].as_array().unwrap().len(), 1);
}

#[test]
fn no_query_changes_or_deletes_audit_events() {
    let mut insert_count = 0;
    for query in queries() {
        let text = query.to_lowercase();
        insert_count += usize::from(text.contains("insert into audit_event"));
        for statement in ["update audit_event", "delete from audit_event", "truncate"] {
            assert!(!text.contains(statement), "{text}");
        }
    }
    assert_eq!(insert_count, 1);
}
