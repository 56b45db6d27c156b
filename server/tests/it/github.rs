//! Sign-in with GitHub, with a fake that accepts only documented requests.

use crate::fake_github::{CLIENT_ID, CLIENT_SECRET, FakeGitHub};
use crate::support::{Answer, Fixture, TestApp, at};
use roundtrip_domain::audited;
use roundtrip_github::{GitHub, Settings};
use roundtrip_storage::access::Role;
use roundtrip_storage::audit::By;
use serde_json::{Value, json};
use sqlx::PgPool;

struct SignInFixture {
    app: TestApp,
    github: FakeGitHub,
}

/// A browser's state after the redirect to GitHub.
struct Redirect {
    url: String,
    cookie: String,
}

impl Fixture for SignInFixture {
    async fn new(pool: PgPool) -> Self {
        let github = FakeGitHub::start();
        Self { app: app_at(pool, &github.url()).await, github }
    }
}

/// A server with the GitHub at this address.
async fn app_at(pool: PgPool, url: &str) -> TestApp {
    let github = GitHub::new(settings(url)).unwrap();
    TestApp::configured(pool, |state| state.with_github(github)).await
}

fn settings(url: &str) -> Settings {
    Settings {
        url: url.into(),
        api_url: format!("{url}/api/v3"),
        client_id: CLIENT_ID.into(),
        client_secret: CLIENT_SECRET.into(),
    }
}

/// The cookie of this name that an answer sets, as a browser sends it back.
fn cookie_of(answer: &Answer, begin: &str) -> String {
    let cookies = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    let mut found = cookies.filter(|cookie| cookie.starts_with(begin));
    found.next().unwrap_or_else(|| panic!("no {begin}: {answer:?}")).split(';').next().unwrap().to_owned()
}

impl SignInFixture {
    async fn account(&self, name: &str, login: &str) {
        let by = By::command_line();
        let made = audited::create_account(&self.app.pool, &by, name, Some(login), false).await.unwrap();
        assert!(made.unwrap().1.is_none());
    }

    async fn begin(&self, to: &str) -> Redirect {
        let answer = self.app.get(&format!("/auth/github{to}")).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        let set = answer.headers["set-cookie"].to_str().unwrap();
        for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=600"] {
            assert!(set.split("; ").any(|part| part == attribute), "{attribute} of {set}");
        }
        Redirect { url: answer.header("location").to_owned(), cookie: cookie_of(&answer, "__Host-") }
    }

    async fn return_to(&self, path: &str, cookie: &str) -> Answer {
        self.app.send_with("GET", path, &[("cookie", cookie)], None).await
    }

    /// The complete sign-in.
    async fn sign_in(&self, to: &str) -> Answer {
        let redirect = self.begin(to).await;
        let back = self.github.visit(&redirect.url);
        self.return_to(&back, &redirect.cookie).await
    }

    async fn name(&self, answer: &Answer) -> Value {
        assert_eq!(cookie_of(answer, "__Host-roundtrip-sign-in="), "__Host-roundtrip-sign-in=");
        let session = cookie_of(answer, "__Host-roundtrip=rts_");
        let info = self.return_to("/api/v1/session", &session).await;
        info.json::<Value>()["account"]["name"].clone()
    }
}

/// Checks that the sign-in failed with this reason and without a session.
#[track_caller]
fn assert_failed(answer: &Answer, why: &str) {
    assert_eq!(answer.status, 303, "{answer:?}");
    let location = answer.header("location");
    assert!(location.starts_with(&format!("/-/sign-in?failed={why}&to=%2F")), "{location}");
    let cookies = answer.headers.get_all("set-cookie");
    assert!(cookies.iter().all(|cookie| !cookie.to_str().unwrap().contains("rts_")), "{answer:?}");
}

#[database_test]
async fn sign_in_returns_to_the_requested_page(fixture: SignInFixture) {
    fixture.account("grace", "Grace-Hopper").await;
    fixture.github.sign_in_as(Some((7, "grace-hopper")));
    let answer = fixture.sign_in("?to=/libfoo/series/3%3Frun%3D1").await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/libfoo/series/3?run=1"));
    assert_eq!(fixture.name(&answer).await, "grace");
    assert_eq!(fixture.app.read("/api/v1/session").await["has_github"], true);
}

#[database_test]
async fn account_is_identified_by_github_id(fixture: SignInFixture) {
    fixture.account("grace", "grace-hopper").await;
    for user in [(7, "grace-hopper"), (7, "admiral")] {
        fixture.github.sign_in_as(Some(user));
        let answer = fixture.sign_in("").await;
        assert_eq!(fixture.name(&answer).await, "grace");
    }
    // Another user took over the released login, and tries to sign in.
    for login in ["grace-hopper", "admiral"] {
        fixture.github.sign_in_as(Some((8, login)));
        assert_failed(&fixture.sign_in("").await, "no-account");
    }
}

#[database_test]
async fn sign_in_without_an_account_is_audited(fixture: SignInFixture) {
    fixture.github.sign_in_as(Some((9, "mallory")));
    assert_failed(&fixture.sign_in("?to=/libfoo").await, "no-account");
    let ada = fixture.app.account("ada", true).await;
    let log = fixture.app.read_as(&ada, "/api/v1/audit").await;
    let refused = log["events"].as_array().unwrap().iter().find(|event| event["action"] == "session.refuse");
    assert_eq!(at(refused.unwrap(), "details/way,details/github_login"), json!(["github", "mallory"]));
}

#[database_test]
async fn rejects_a_sign_in_from_another_browser(fixture: SignInFixture) {
    fixture.account("grace", "grace").await;
    fixture.github.sign_in_as(Some((7, "grace")));
    let (mine, theirs) = (fixture.begin("").await, fixture.begin("").await);
    let back = fixture.github.visit(&mine.url);
    assert_failed(&fixture.return_to(&back, "").await, "stale");
    assert_failed(&fixture.return_to(&back, "__Host-roundtrip-sign-in=x").await, "stale");
    assert_failed(&fixture.return_to(&back, &theirs.cookie).await, "stale");
    let without_state = back.split("&state").next().unwrap();
    assert_failed(&fixture.return_to(without_state, &mine.cookie).await, "stale");
    // With the right state, but the verifier of another sign-in, which GitHub rejects.
    let part = |cookie: &str, number: usize| cookie.split('.').nth(number).unwrap().to_owned();
    let mixed = [part(&mine.cookie, 0), part(&theirs.cookie, 1), part(&mine.cookie, 2)].join(".");
    assert_failed(&fixture.return_to(&back, &mixed).await, "github");
    assert_failed(&fixture.return_to(&back, &mine.cookie).await, "github");
    let answer = fixture.sign_in("").await;
    assert_eq!(fixture.name(&answer).await, "grace", "the normal sign-in works");
}

#[database_test]
async fn code_works_once(fixture: SignInFixture) {
    fixture.account("grace", "grace").await;
    fixture.github.sign_in_as(Some((7, "grace")));
    let redirect = fixture.begin("").await;
    let back = fixture.github.visit(&redirect.url);
    assert_eq!(fixture.name(&fixture.return_to(&back, &redirect.cookie).await).await, "grace");
    assert_failed(&fixture.return_to(&back, &redirect.cookie).await, "github");
}

#[database_test]
async fn does_not_store_github_tokens(fixture: SignInFixture) {
    fixture.account("grace", "grace").await;
    fixture.github.sign_in_as(Some((7, "grace")));
    fixture.sign_in("").await;
    let rows = "select session::text from session union all select account::text from account
                union all select audit_event::text from audit_event";
    let stored = fixture.app.scalars::<String>(rows).await.join("\n");
    let secrets = fixture.github.secrets();
    assert_eq!(secrets.len(), 2, "a code and a token");
    assert!(secrets.iter().all(|secret| !stored.contains(secret.as_str())), "{stored}");
}

#[database_test]
async fn denied_sign_in_returns_with_the_reason(fixture: SignInFixture) {
    fixture.github.sign_in_as(None);
    assert_failed(&fixture.sign_in("").await, "denied");
    let answer = fixture.return_to("/auth/github/callback?error=application_suspended&state=x", "").await;
    assert_failed(&answer, "github");
}

#[database_test]
async fn sign_in_never_redirects_to_another_site(fixture: SignInFixture) {
    fixture.account("grace", "grace").await;
    fixture.github.sign_in_as(Some((7, "grace")));
    for to in ["//evil.example", "/%5Cevil.example", "https://evil.example", "/%09/evil.example", "evil"] {
        let answer = fixture.sign_in(&format!("?to={to}")).await;
        assert_eq!(answer.headers["location"], "/", "{to}");
    }
    // Nor by a forged cookie.
    let redirect = fixture.begin("").await;
    let back = fixture.github.visit(&redirect.url);
    let (rest, _) = redirect.cookie.rsplit_once('.').unwrap();
    let evil = base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, "//evil.example");
    let answer = fixture.return_to(&back, &format!("{rest}.{evil}")).await;
    assert_eq!(answer.headers["location"], "/");
}

#[database_test]
async fn sign_in_fails_while_github_is_down(pool: PgPool) {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", holder.local_addr().unwrap());
    drop(holder);
    let app = app_at(pool, &silent).await;
    let cookie = cookie_of(&app.get("/auth/github").await, "__Host-");
    let state = cookie.split_once('=').unwrap().1.split('.').next().unwrap().to_owned();
    let back = format!("/auth/github/callback?code=x&state={state}");
    assert_failed(&app.send_with("GET", &back, &[("cookie", cookie)], None).await, "github");
}

#[database_test]
async fn github_sign_in_requires_settings(app: TestApp) {
    for path in ["/auth/github", "/auth/github/callback?code=x&state=y"] {
        app.get(path).await.assert_problem(404, "unknown-sign-in");
    }
}

#[test]
fn rejects_an_invalid_address() {
    for url in ["github.com", "ftp://github.com", "https://", "https://a b"] {
        let settings = Settings { api_url: "https://api.github.com".into(), ..settings(url) };
        assert!(GitHub::new(settings).is_err(), "{url}");
    }
}

#[database_test]
async fn github_session_has_the_accounts_permissions(fixture: SignInFixture) {
    fixture.app.store(&crate::support::factory::report()).await;
    fixture.account("grace", "grace").await;
    let admin = fixture.app.member("ada", "libfoo", Role::Admin).await;
    let member = "/api/v1/projects/libfoo/members/grace";
    fixture.app.send("PUT", member, &admin, Some(json!({"role": "admin"}))).await;
    fixture.github.sign_in_as(Some((7, "grace")));
    let session = cookie_of(&fixture.sign_in("").await, "__Host-roundtrip=rts_");
    let headers =
        [("cookie", session.as_str()), ("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin")];
    assert_eq!(fixture.app.send_with("DELETE", "/api/v1/projects/libfoo", &headers, None).await.status, 204);
}
