//! Tokens: authentication, creation, rotation and revocation.

use crate::support::{Fixture, TestApp, factory, texts};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::access::{Binding, Role, Scope, Secret, TokenKind};
use roundtrip_storage::token::{self, NewToken};
use serde_json::{Value, json};
use sqlx::PgPool;

fn agent<'a>(scopes: &'a [Scope], binding: &'a Binding, expires_at: Option<DateTime<Utc>>) -> NewToken<'a> {
    NewToken { name: "test", kind: TokenKind::Agent, account_id: None, scopes, binding, expires_at }
}

/// Changes the last character.
fn mistyped(token: &str) -> String {
    let (rest, last) = token.split_at(token.len() - 1);
    format!("{rest}{}", if last == "x" { "y" } else { "x" })
}

/// The condition that a row of `token` has this secret.
fn is(secret: &str) -> String {
    format!("secret_sha256 = '\\x{}'", hex::encode(Secret::parse(secret).unwrap().digest()))
}

#[database_test]
async fn rejects_uploads_without_a_valid_token(app: TestApp) {
    let anywhere = Binding::default();
    let scopes = [Scope::IngestWrite];
    let expired = app.issue(agent(&scopes, &anywhere, Some(Utc::now() - TimeDelta::seconds(1)))).await;
    let revoked = app.issue(agent(&scopes, &anywhere, None)).await;
    app.execute(&format!("update token set revoked_at = now() where {}", is(&revoked))).await;
    let other_scope = app.issue(agent(&[Scope::Read], &anywhere, None)).await;
    let deleted = app.issue(agent(&scopes, &anywhere, None)).await;
    app.execute(&format!("delete from token where {}", is(&deleted))).await;
    let session = Secret::draw(roundtrip_storage::access::secret::SecretKind::Session).expose().to_owned();
    let before = app.row_counts().await;

    let report = factory::report();
    let body = serde_json::to_vec(&report).unwrap();
    let bearer = |secret: &str| format!("Bearer {secret}");
    for (name, header, status, code) in [
        ("no token", String::new(), 401, "unauthenticated"),
        ("another scheme", format!("Basic {}", app.token), 401, "unauthenticated"),
        ("malformed", bearer("secret"), 401, "unauthenticated"),
        ("mistyped", bearer(&mistyped(&app.token)), 401, "unauthenticated"),
        ("unknown", bearer(&deleted), 401, "unauthenticated"),
        ("expired", bearer(&expired), 401, "unauthenticated"),
        ("revoked", bearer(&revoked), 401, "unauthenticated"),
        ("a session's", bearer(&session), 401, "unauthenticated"),
        ("another scope", bearer(&other_scope), 403, "forbidden"),
    ] {
        let answer =
            app.put_bytes(&report.run_id.to_string(), &[("authorization", &header)], body.clone()).await;
        let problem = answer.problem();
        assert_eq!((problem.status, problem.code.as_str()), (status, code), "{name}: {problem:?}");
        assert_eq!(answer.headers.contains_key("www-authenticate"), status == 401, "{name}");
        assert_eq!(app.row_counts().await, before, "{name}");
    }
}

#[database_test]
async fn rejects_anonymous_uploads_before_reading(app: TestApp) {
    let run_id = factory::report().run_id.to_string();
    let answer = app.put_bytes(&run_id, &[("authorization", ""), ("content-type", "")], vec![0; 100]).await;
    answer.assert_problem(401, "unauthenticated");
}

#[database_test]
async fn rejects_an_invalid_token_everywhere(app: TestApp) {
    app.store(&factory::report()).await;
    app.read("/api/v1/projects/libfoo").await;
    let answer = app.send("GET", "/api/v1/projects/libfoo", &mistyped(&app.token), None).await;
    answer.assert_problem(401, "unauthenticated");
}

#[database_test]
async fn records_the_use_of_a_token(app: TestApp) {
    let (scopes, later) = ([Scope::IngestWrite, Scope::Read], Utc::now() + TimeDelta::hours(1));
    let secret = app.issue(agent(&scopes, &Binding::default(), Some(later))).await;
    let report = factory::report();
    let header = format!("bearer {secret}");
    let body = serde_json::to_vec(&report).unwrap();
    let answer = app.put_bytes(&report.run_id.to_string(), &[("authorization", &header)], body).await;
    assert_eq!(answer.status, 201);
    let is_noted = format!("select last_used_at is not null from token where {}", is(&secret));
    assert!(app.scalar::<bool>(&is_noted).await);
}

#[database_test]
async fn accepts_tokens_of_the_first_version(app: TestApp) {
    let new = Secret::draw(roundtrip_storage::access::secret::SecretKind::Token(TokenKind::Agent));
    let old = Secret::parse(&new.expose().replacen("rta_", "rt_", 1)).unwrap();
    // As the first version stored it: without later columns.
    let (prefix, digest) = (old.prefix(), hex::encode(old.digest()));
    let row = format!("'agent', '{prefix}', '\\x{digest}', '{{ingest:write}}', now()");
    let columns = "name, prefix, secret_sha256, scopes, created_at";
    app.execute(&format!("insert into token ({columns}) values ({row})")).await;
    assert_eq!(app.put_as(old.expose(), &factory::report()).await.status, 201);
}

#[database_test]
async fn database_does_not_contain_the_secret(pool: PgPool) {
    assert!(!token::any_exist(&pool).await.unwrap());
    let app = TestApp::new(pool).await;
    assert!(token::any_exist(&app.pool).await.unwrap());
    let row: String = app.scalar("select token::text from token").await;
    assert!(row.contains(&app.token[..10]) && !row.contains(&app.token[..12]), "{row}");
}

#[database_test]
async fn bound_agent_uploads_only_for_its_project_and_machine(app: TestApp) {
    let binding = Binding { project: Some("libfoo".into()), machine: Some("lab-1".into()) };
    let bound = app.program_token(TokenKind::Agent, &[Scope::IngestWrite], &binding).await;
    let before = app.row_counts().await;

    for (report, parts) in [
        (factory::on("lab-2", factory::report()), ["lab-1", "lab-2"]),
        (factory::of_project("another"), ["libfoo", "another"]),
    ] {
        let problem = app.put_as(&bound, &report).await.assert_problem(403, "forbidden");
        assert!(parts.iter().all(|part| problem.detail.contains(part)), "{problem:?}");
    }
    assert_eq!(app.row_counts().await, before, "nothing was stored");

    assert_eq!(app.put_as(&bound, &factory::report()).await.status, 201, "the upload creates its project");
}

#[database_test]
async fn import_has_the_same_restrictions(app: TestApp) {
    let binding = Binding { project: Some("libfoo".into()), machine: Some("lab-1".into()) };
    let bound = app.program_token(TokenKind::Agent, &[Scope::IngestWrite], &binding).await;
    let import = |machine: &str| {
        let report = factory::on(machine, factory::nth_with(1, Vec::new()));
        factory::import(&report, "bench.txt", Some("go"), b"BenchmarkPing-8 100 1200 ns/op\n")
    };
    let answer = app.send("POST", "/api/v1/import", &bound, Some(import("lab-2"))).await;
    assert!(answer.assert_problem(403, "forbidden").detail.contains("lab-2"));
    assert_eq!(app.send("POST", "/api/v1/import", &bound, Some(import("lab-1"))).await.status, 201);
}

#[database_test]
async fn contributors_can_upload(app: TestApp) {
    app.store(&factory::report()).await;
    let viewer = app.member("victor", "libfoo", Role::Viewer).await;
    let contributor = app.member("carol", "libfoo", Role::Contributor).await;
    let admin = app.account("ada", true).await;
    let elsewhere = factory::of_project("another");

    let problem = app.put_as(&viewer, &factory::report()).await.assert_problem(403, "forbidden");
    assert!(problem.detail.contains("contributor"), "{problem:?}");
    assert_eq!(app.put_as(&contributor, &factory::report()).await.status, 201);
    app.put_as(&contributor, &elsewhere).await.assert_problem(403, "forbidden");
    let made = app.put_as(&admin, &elsewhere).await;
    assert_eq!(made.status, 201, "an administrator's upload can create a project");
}

#[database_test]
async fn maintainers_manage_project_tokens(app: TestApp) {
    app.store(&factory::report()).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let request = json!({"name": "lab-1", "kind": "agent", "project": "libfoo", "machine": "lab-1"});

    let answer = app.send("POST", "/api/v1/tokens", &maintainer, Some(request)).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(answer.headers["cache-control"], "no-store");
    let issued: Value = answer.json();
    let secret = issued["secret"].as_str().unwrap();
    assert!(secret.starts_with("rta_") && secret.starts_with(issued["token"]["prefix"].as_str().unwrap()));
    assert_eq!(issued["token"]["scopes"], json!(["ingest:write"]));
    let days = issued["token"]["expires_at"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap() - Utc::now();
    assert_eq!(days.num_days(), 89, "90 days, but for a moment");
    assert_eq!(app.put_as(secret, &factory::report()).await.status, 201);

    let list = app.send("GET", "/api/v1/tokens", &maintainer, None).await;
    assert!(!String::from_utf8(list.body.clone()).unwrap().contains(secret), "a secret is shown once");
    let names = texts(&list.json(), "tokens/*/name");
    assert_eq!(names, ["first", "lab-1"], "the maintainer's own token and the project's");

    let path = format!("/api/v1/tokens/{}", issued["token"]["token_id"]);
    let contributor = app.member("carol", "libfoo", Role::Contributor).await;
    app.send("DELETE", &path, &contributor, None).await.assert_problem(404, "unknown-token");
    assert_eq!(app.send("DELETE", &path, &maintainer, None).await.status, 204);
    app.put_as(secret, &factory::report()).await.assert_problem(401, "unauthenticated");
    app.send("DELETE", &path, &maintainer, None).await.assert_problem(404, "unknown-token");
}

#[database_test]
async fn both_secrets_work_during_the_overlap(app: TestApp) {
    app.store(&factory::report()).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let request = json!({"name": "ci", "kind": "ci", "project": "libfoo", "expires_in_days": 30});
    let issued: Value = app.send("POST", "/api/v1/tokens", &maintainer, Some(request)).await.json();
    let path = format!("/api/v1/tokens/{}/rotate", issued["token"]["token_id"]);
    let first = issued["secret"].as_str().unwrap().to_owned();

    let rotated: Value = app.send("POST", &path, &maintainer, Some(json!({"overlap_hours": 2}))).await.json();
    let second = rotated["secret"].as_str().unwrap();
    assert_ne!(first, second);
    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert_eq!((time(&rotated["token"]["expires_at"]) - Utc::now()).num_days(), 29, "the original lifetime");
    assert_eq!((time(&rotated["token"]["previous_expires_at"]) - Utc::now()).num_minutes(), 119);
    for secret in [first.as_str(), second] {
        assert_eq!(app.put_as(secret, &factory::report()).await.status, 201);
    }
    app.execute("update token set previous_expires_at = now() where rotated_at is not null").await;
    app.put_as(&first, &factory::report()).await.assert_problem(401, "unauthenticated");

    let at_once = app.send("POST", &path, &maintainer, Some(json!({"overlap_hours": 0}))).await;
    let third: Value = at_once.json();
    app.put_as(second, &factory::report()).await.assert_problem(401, "unauthenticated");
    assert_eq!(app.put_as(third["secret"].as_str().unwrap(), &factory::report()).await.status, 201);
}

#[database_test]
async fn token_cannot_exceed_its_creator(app: TestApp) {
    app.store(&factory::report()).await;
    app.hide("libfoo").await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let outsider = app.account("oscar", false).await;
    let reader = app.user_token("mary", &[Scope::Read], &Binding::default()).await;
    let agent = |project: Value| json!({"name": "x", "kind": "agent", "project": project});
    // A token of the project, with a change.
    let with = |kind: &str, member: &str, value: Value| {
        let mut request = json!({"name": "x", "kind": kind, "project": "libfoo"});
        request[member] = value;
        request
    };
    let invalid = |request: Value| (maintainer.as_str(), request, 400, "invalid-parameter");
    for (who, request, status, code) in [
        ("", agent(json!("libfoo")), 404, "unknown-project"),
        ("", json!({"name": "x", "kind": "user"}), 401, "unauthenticated"),
        (app.token.as_str(), json!({"name": "x", "kind": "user"}), 403, "forbidden"),
        (app.token.as_str(), agent(json!("libfoo")), 404, "unknown-project"),
        (&outsider, agent(json!("libfoo")), 404, "unknown-project"),
        (&reader, agent(json!("libfoo")), 403, "forbidden"),
        (&maintainer, agent(Value::Null), 403, "forbidden"),
        (&maintainer, agent(json!("not-yet-there")), 404, "unknown-project"),
        (&reader, json!({"name": "x", "kind": "user", "scopes": ["read"]}), 403, "forbidden"),
        invalid(with("agent", "scopes", json!(["admin"]))),
        invalid(with("ci", "machine", json!("lab-1"))),
        invalid(with("ci", "scopes", json!([]))),
        invalid(with("ci", "name", json!(""))),
        invalid(with("ci", "expires_in_days", json!(0))),
        invalid(json!({"name": "x", "kind": "robot"})),
        invalid(json!({"name": "x", "kind": "ci", "colour": 1})),
    ] {
        let answer = app.send("POST", "/api/v1/tokens", who, Some(request.clone())).await;
        let problem = answer.problem();
        assert_eq!((problem.status, problem.code.as_str()), (status, code), "{request}: {problem:?}");
    }
    let admin = app.account("ada", true).await;
    let answer = app.send("POST", "/api/v1/tokens", &admin, Some(agent(json!("not-yet-there")))).await;
    assert_eq!(answer.status, 201, "an administrator can bind a token to a future project");
}

#[database_test]
async fn user_token_cannot_exceed_its_user(app: TestApp) {
    let ada = app.account("ada", true).await;
    let own = json!({"name": "laptop", "kind": "user", "scopes": ["admin", "read"]});
    let issued: Value = app.send("POST", "/api/v1/tokens", &ada, Some(own)).await.json();
    let narrow = issued["secret"].as_str().unwrap();
    assert_eq!(issued["token"]["account"], "ada");
    let wider = json!({"name": "x", "kind": "user", "scopes": ["ingest:write"]});
    let answer = app.send("POST", "/api/v1/tokens", narrow, Some(wider)).await;
    assert!(answer.assert_problem(403, "forbidden").detail.contains("ingest:write"));
    // Nor by rotating a token with more.
    let first: i64 = app.scalar("select token_id from token where name = 'first'").await;
    let path = format!("/api/v1/tokens/{first}/rotate");
    app.send("POST", &path, narrow, Some(json!({}))).await.assert_problem(403, "forbidden");
}
