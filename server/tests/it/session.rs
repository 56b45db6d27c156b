//! Sessions of the web UI: sign-in by token, sign-out, and protection from other sites.

use crate::support::{Answer, TestApp, factory};
use roundtrip_storage::access::{Binding, Role, Scope};
use serde_json::{Value, json};

const PATH: &str = "/api/v1/session";

fn own_page() -> Vec<(&'static str, String)> {
    vec![("x-roundtrip-csrf", "1".into()), ("sec-fetch-site", "same-origin".into())]
}

fn with_cookie(cookie: &str) -> Vec<(&'static str, String)> {
    let mut headers = own_page();
    headers.push(("cookie", format!("theme=dark; {cookie}")));
    headers
}

/// The cookie that an answer sets, as a browser sends it back.
fn cookie_of(answer: &Answer) -> String {
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn sign_in(app: &TestApp, token: &str) -> String {
    let answer = app.send_with("POST", PATH, &own_page(), Some(json!({"token": token}))).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    cookie_of(&answer)
}

async fn account(app: &TestApp, cookie: &str) -> Value {
    let answer = app.send_with("GET", PATH, &with_cookie(cookie), None).await;
    answer.json::<Value>()["account"].clone()
}

#[database_test]
async fn sign_in_sets_a_protected_cookie(app: TestApp) {
    app.store(&factory::report()).await;
    app.hide("libfoo").await;
    let token = app.member("victor", "libfoo", Role::Viewer).await;
    assert_eq!(
        app.read(PATH).await,
        json!({"account": null, "scopes": [], "project": null, "has_github": false, "is_private": false})
    );
    let answer = app.send_with("POST", PATH, &own_page(), Some(json!({"token": token}))).await;
    let set = answer.headers["set-cookie"].to_str().unwrap();
    assert!(set.starts_with("__Host-roundtrip=rts_"), "{set}");
    // Lax: pages within another site's frame do not send it, so users are anonymous there.
    for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(set.split("; ").any(|part| part == attribute), "{attribute} of {set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    assert_eq!(answer.headers["cache-control"], "no-store");

    let cookie = cookie_of(&answer);
    assert_eq!(
        account(&app, &cookie).await,
        json!({"name": "victor", "is_admin": false, "roles": {"libfoo": "viewer"}})
    );
    let headers = [("cookie", cookie.clone())];
    assert_eq!(app.send_with("GET", "/api/v1/projects/libfoo", &headers, None).await.status, 200);
    app.get("/api/v1/projects/libfoo").await.assert_problem(404, "unknown-project");

    let answer = app.send_with("DELETE", PATH, &with_cookie(&cookie), None).await;
    assert_eq!(answer.status, 204);
    assert!(answer.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    let answer = app.send_with("GET", "/api/v1/projects/libfoo", &headers, None).await;
    answer.assert_problem(404, "unknown-project");
    assert_eq!(app.send_with("DELETE", PATH, &with_cookie(&cookie), None).await.status, 204, "and again");
}

#[database_test]
async fn only_user_tokens_sign_in(app: TestApp) {
    let ada = app.account("ada", true).await;
    for token in [app.token.as_str(), "rtu_short", "", &ada.replacen("rtu_", "rta_", 1)] {
        let answer = app.send_with("POST", PATH, &own_page(), Some(json!({"token": token}))).await;
        answer.assert_problem(401, "unauthenticated");
        assert!(!answer.headers.contains_key("set-cookie"));
    }
    app.send_with("POST", PATH, &own_page(), Some(json!({"password": "x"})))
        .await
        .assert_problem(400, "invalid-parameter");
    let log: Value = app.send("GET", "/api/v1/audit", &ada, None).await.json();
    let mut refusals = log["events"].as_array().unwrap().clone();
    refusals.retain(|event| event["action"] == "session.refuse");
    assert_eq!(refusals.len(), 4);
    assert_eq!(refusals[0]["actor"], "anonymous");
    assert_eq!(refusals[0]["details"], json!({"way": "token", "address": "0.0.0.0", "left_out_before": 0}));
}

#[database_test]
async fn rejects_cross_site_writes(app: TestApp) {
    app.store(&factory::report()).await;
    let token = app.member("mary", "libfoo", Role::Admin).await;
    let cookie = sign_in(&app, &token).await;
    let csrf = || ("x-roundtrip-csrf", "1".to_owned());
    let from = |site: &str| ("sec-fetch-site", site.to_owned());
    for headers in [
        vec![],
        vec![csrf()],
        vec![from("same-origin")],
        vec![csrf(), from("cross-site")],
        vec![csrf(), from("same-site")],
        vec![csrf(), ("origin", "https://evil.example".into()), ("host", "lab.example".into())],
    ] {
        let mut headers = headers;
        headers.push(("cookie", cookie.clone()));
        for (method, path, body) in [
            ("PATCH", "/api/v1/projects/libfoo", Some(json!({"visibility": "private"}))),
            ("DELETE", "/api/v1/projects/libfoo", None),
            ("POST", "/api/v1/tokens", Some(json!({"name": "x", "kind": "user"}))),
            ("DELETE", PATH, None),
            ("PUT", "/api/v1/runs/019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b", Some(json!({}))),
        ] {
            let answer = app.send_with(method, path, &headers, body).await;
            answer.assert_problem(403, "cross-site");
        }
        let headers: Vec<_> = headers.into_iter().filter(|(name, _)| *name != "cookie").collect();
        let answer = app.send_with("POST", PATH, &headers, Some(json!({"token": token}))).await;
        answer.assert_problem(403, "cross-site");
    }
    let change = Some(json!({"visibility": "private"}));
    let answer = app.send_with("PATCH", "/api/v1/projects/libfoo", &with_cookie(&cookie), change).await;
    assert_eq!(answer.status, 200, "pages of this server can");
}

#[database_test]
async fn session_ends_when_idle_old_or_without_its_token(app: TestApp) {
    let ada = app.account("ada", true).await;
    for statement in [
        "update session set last_used_at = now() - interval '7 days 1 minute'",
        "update session set expires_at = now()",
        "update token set revoked_at = now() where kind = 'user'",
        "update token set revoked_at = null, expires_at = now() where kind = 'user'",
    ] {
        app.execute("update token set revoked_at = null, expires_at = null").await;
        let cookie = sign_in(&app, &ada).await;
        assert_eq!(account(&app, &cookie).await["name"], "ada");
        app.execute(statement).await;
        assert_eq!(account(&app, &cookie).await, Value::Null, "{statement}");
    }
}

#[database_test]
async fn use_extends_the_idle_time_only(app: TestApp) {
    let ada = app.account("ada", true).await;
    let cookie = sign_in(&app, &ada).await;
    app.execute("update session set last_used_at = now() - interval '6 days'").await;
    assert_eq!(account(&app, &cookie).await["name"], "ada");
    let query =
        "select last_used_at > now() - interval '1 hour', expires_at < created_at + interval '31 days'
                 from session";
    let (is_fresh, is_unchanged): (bool, bool) = app.row(query).await;
    assert!(is_fresh && is_unchanged);
}

#[database_test]
async fn session_has_its_tokens_scopes(app: TestApp) {
    app.store(&factory::report()).await;
    app.account("ada", true).await;
    let reader = app.user_token("ada", &[Scope::Read], &Binding::default()).await;
    let cookie = sign_in(&app, &reader).await;
    let change = Some(json!({"visibility": "private"}));
    let answer = app.send_with("PATCH", "/api/v1/projects/libfoo", &with_cookie(&cookie), change).await;
    assert!(answer.assert_problem(403, "forbidden").detail.contains("project:write"));
}

#[database_test]
async fn signing_in_ends_the_previous_session(app: TestApp) {
    let ada = app.account("ada", true).await;
    let first = sign_in(&app, &ada).await;
    let body = Some(json!({"token": ada}));
    let second = cookie_of(&app.send_with("POST", PATH, &with_cookie(&first), body).await);
    assert_ne!(first, second);
    assert_eq!(account(&app, &first).await, Value::Null);
    assert_eq!(account(&app, &second).await["name"], "ada");
}

#[database_test]
async fn invalid_cookie_means_anonymous(app: TestApp) {
    app.store(&factory::report()).await;
    for cookie in
        ["__Host-roundtrip=nonsense", "__Host-roundtrip=", &format!("__Host-roundtrip={}", app.token)]
    {
        assert_eq!(account(&app, cookie).await, Value::Null);
        let answer = app.send_with("GET", "/api/v1/projects/libfoo", &with_cookie(cookie), None).await;
        assert_eq!(answer.status, 200);
    }
}

#[database_test]
async fn database_does_not_contain_the_cookies_secret(app: TestApp) {
    let ada = app.account("ada", true).await;
    let cookie = sign_in(&app, &ada).await;
    let secret = cookie.split_once('=').unwrap().1;
    let rows: Vec<String> = app
        .scalars("select session::text from session union all select audit_event::text from audit_event")
        .await;
    assert!(rows.len() > 3 && rows.iter().all(|row| !row.contains(&secret[..12])), "{rows:?}");
}
