//! Sessions of the web UI: sign-in by token, sign-out, and protection from other sites.

use crate::support::{Answer, TestApp, factory};
use roundtrip_storage::access::{Binding, Role, Scope};
use serde_json::{Value, json};

const PATH: &str = "/api/v1/session";

/// The headers of a request by a page of this server.
const OWN_PAGE: [(&str, &str); 2] = [("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin")];

/// Sends a request by a page of this server, with a cookie.
async fn send(app: &TestApp, method: &str, path: &str, cookie: &str, body: Option<Value>) -> Answer {
    let cookie = format!("theme=dark; {cookie}");
    let [csrf, site] = OWN_PAGE;
    app.send_with(method, path, &[csrf, site, ("cookie", &cookie)], body).await
}

/// The cookie that an answer sets, as a browser sends it back.
fn cookie_of(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

async fn sign_in(app: &TestApp, token: &str) -> String {
    let answer = app.send_with("POST", PATH, &OWN_PAGE, Some(json!({"token": token}))).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    cookie_of(&answer)
}

async fn account(app: &TestApp, cookie: &str) -> Value {
    send(app, "GET", PATH, cookie, None).await.json::<Value>()["account"].clone()
}

#[database_test]
async fn sign_in_sets_a_protected_cookie(app: TestApp) {
    app.store(&factory::report()).await;
    app.hide("libfoo").await;
    let token = app.member("victor", "libfoo", Role::Viewer).await;
    let anonymous =
        json!({"account": null, "scopes": [], "project": null, "has_github": false, "is_private": false});
    assert_eq!(app.read(PATH).await, anonymous);
    let answer = app.send_with("POST", PATH, &OWN_PAGE, Some(json!({"token": token}))).await;
    let set = answer.header("set-cookie");
    assert!(set.starts_with("__Host-roundtrip=rts_"), "{set}");
    // Lax: pages within another site's frame do not send it, so users are anonymous there.
    for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(set.split("; ").any(|part| part == attribute), "{attribute} of {set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    assert_eq!(answer.headers["cache-control"], "no-store");

    let cookie = cookie_of(&answer);
    let victor = json!({"name": "victor", "is_admin": false, "roles": {"libfoo": "viewer"}});
    assert_eq!(account(&app, &cookie).await, victor);
    let headers = [("cookie", &cookie)];
    assert_eq!(app.send_with("GET", "/api/v1/projects/libfoo", &headers, None).await.status, 200);
    app.get("/api/v1/projects/libfoo").await.assert_problem(404, "unknown-project");

    let answer = send(&app, "DELETE", PATH, &cookie, None).await;
    assert_eq!(answer.status, 204);
    assert!(answer.header("set-cookie").contains("Max-Age=0"));
    let answer = app.send_with("GET", "/api/v1/projects/libfoo", &headers, None).await;
    answer.assert_problem(404, "unknown-project");
    assert_eq!(send(&app, "DELETE", PATH, &cookie, None).await.status, 204, "signing out again");
}

#[database_test]
async fn only_user_tokens_sign_in(app: TestApp) {
    let ada = app.account("ada", true).await;
    for token in [app.token.as_str(), "rtu_short", "", &ada.replacen("rtu_", "rta_", 1)] {
        let answer = app.send_with("POST", PATH, &OWN_PAGE, Some(json!({"token": token}))).await;
        answer.assert_problem(401, "unauthenticated");
        assert!(!answer.headers.contains_key("set-cookie"));
    }
    let answer = app.send_with("POST", PATH, &OWN_PAGE, Some(json!({"password": "x"}))).await;
    answer.assert_problem(400, "invalid-parameter");
    let log = app.read_as(&ada, "/api/v1/audit").await;
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
    let [csrf, own_site] = OWN_PAGE;
    let from = |site| ("sec-fetch-site", site);
    for foreign in [
        &[][..],
        &[csrf],
        &[own_site],
        &[csrf, from("cross-site")],
        &[csrf, from("same-site")],
        &[csrf, ("origin", "https://evil.example"), ("host", "lab.example")],
    ] {
        let headers = [foreign, &[("cookie", cookie.as_str())]].concat();
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
        let answer = app.send_with("POST", PATH, foreign, Some(json!({"token": token}))).await;
        answer.assert_problem(403, "cross-site");
    }
    let change = Some(json!({"visibility": "private"}));
    let answer = send(&app, "PATCH", "/api/v1/projects/libfoo", &cookie, change).await;
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
    let is_used_and_expires = "select last_used_at > now() - interval '1 hour'
                                      and expires_at < created_at + interval '31 days' from session";
    assert!(app.scalar::<bool>(is_used_and_expires).await);
}

#[database_test]
async fn session_has_its_tokens_scopes(app: TestApp) {
    app.store(&factory::report()).await;
    app.account("ada", true).await;
    let reader = app.user_token("ada", &[Scope::Read], &Binding::default()).await;
    let cookie = sign_in(&app, &reader).await;
    let change = Some(json!({"visibility": "private"}));
    let answer = send(&app, "PATCH", "/api/v1/projects/libfoo", &cookie, change).await;
    assert!(answer.assert_problem(403, "forbidden").detail.contains("project:write"));
}

#[database_test]
async fn signing_in_ends_the_previous_session(app: TestApp) {
    let ada = app.account("ada", true).await;
    let first = sign_in(&app, &ada).await;
    let body = Some(json!({"token": ada}));
    let second = cookie_of(&send(&app, "POST", PATH, &first, body).await);
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
        assert_eq!(send(&app, "GET", "/api/v1/projects/libfoo", cookie, None).await.status, 200);
    }
}

#[database_test]
async fn database_does_not_contain_the_cookies_secret(app: TestApp) {
    let ada = app.account("ada", true).await;
    let cookie = sign_in(&app, &ada).await;
    let secret = cookie.split_once('=').unwrap().1;
    let rows = "select session::text from session union all select audit_event::text from audit_event";
    let rows: Vec<String> = app.scalars(rows).await;
    assert!(rows.len() > 3 && rows.iter().all(|row| !row.contains(&secret[..12])), "{rows:?}");
}
