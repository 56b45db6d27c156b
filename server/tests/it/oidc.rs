//! OIDC tokens of CI jobs: all kinds of invalid tokens, and the exchange of valid ones.

use crate::fake_issuer::{FakeIssuer, job};
use crate::support::{Answer, Fixture, TestApp, at, factory};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use roundtrip_domain::oidc::{Settings, Verifier};
use roundtrip_storage::access::Role;
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;
use std::time::Duration;

const AUDIENCE: &str = "https://roundtrip.example.org";
const EXCHANGE: &str = "/api/v1/oidc/exchange";
const TRUSTS: &str = "/api/v1/projects/libfoo/oidc-trusts";

/// A server that accepts tokens of a local issuer, and a project maintained by ada.
struct OidcFixture {
    app: TestApp,
    issuer: FakeIssuer,
    ada: String,
}

impl Fixture for OidcFixture {
    async fn new(pool: PgPool) -> Self {
        let fixture = Self::with_refresh_interval(pool, Duration::ZERO).await;
        assert_eq!(fixture.trust(json!({})).await.status, 201);
        fixture
    }
}

impl OidcFixture {
    async fn with_refresh_interval(pool: PgPool, refresh_interval: Duration) -> Self {
        let issuer = FakeIssuer::start();
        let settings = Settings { issuer: issuer.url(), audience: AUDIENCE.into(), refresh_interval };
        let app = TestApp::configured(pool, |state| state.with_oidc(Verifier::new(settings).unwrap())).await;
        app.store(&factory::report()).await;
        let ada = app.member("ada", "libfoo", Role::Maintainer).await;
        Self { app, issuer, ada }
    }

    /// Trusts all jobs of the issuer's repository, with these changes.
    async fn trust(&self, changes: Value) -> Answer {
        let mut request = trust_request();
        request.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.app.send("POST", TRUSTS, &self.ada, Some(request)).await
    }

    fn claims(&self) -> Value {
        self.issuer.claims(AUDIENCE)
    }

    async fn exchange(&self, token: &str) -> Answer {
        self.app.post(EXCHANGE, &json!({"token": token})).await
    }

    /// The answer to a valid token with these changes.
    async fn exchange_with(&self, changes: Value) -> Answer {
        let mut claims = self.claims();
        for (name, value) in changes.as_object().unwrap() {
            if value.is_null() {
                claims.as_object_mut().unwrap().remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        self.exchange(&self.issuer.sign(&claims)).await
    }

    async fn assert_wrong(&self, token: &str, reason: &str) {
        let problem = self.exchange(token).await.assert_problem(401, "unauthenticated");
        assert!(problem.detail.contains(reason), "{reason}: {problem:?}");
    }
}

/// Trust in all jobs of the issuer's repository.
fn trust_request() -> Value {
    json!({"repository": "octo/lib", "repository_id": 101, "repository_owner_id": 7})
}

/// A token from its parts.
fn token(header: &Value, claims: &Value, signature: &str) -> String {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.{signature}", part(header), part(claims))
}

#[database_test]
async fn trusted_job_uploads_to_one_project(fixture: OidcFixture) {
    let answer = fixture.exchange_with(json!({})).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (201, "no-store"));
    let exchanged: Value = answer.json();
    assert_eq!(at(&exchanged, "project,scopes"), json!(["libfoo", ["read", "ingest:write"]]));
    let token = exchanged["token"].as_str().unwrap();
    assert!(token.starts_with("rtc_"), "{token}");
    let minutes = "round(extract(epoch from expires_at - created_at) / 60)::bigint";
    let minutes: i64 = fixture.app.scalar(&format!("select {minutes} from token where kind = 'ci'")).await;
    assert_eq!(minutes, 15);
    let report = factory::nth(2);
    assert_eq!(fixture.app.put_as(token, &report).await.status, 201);
    let other = RunReport { project: factory::slug("other"), ..factory::nth(3) };
    fixture.app.put_as(token, &other).await.assert_problem(403, "forbidden");
    let events = "select actor, action, details from audit_event
                  where action in ('oidc-trust.create', 'token.exchange') order by audit_event_id";
    let events: Vec<(String, String, Value)> = fixture.app.rows(events).await;
    assert_eq!((events[0].0.as_str(), events[0].1.as_str()), ("account:ada", "oidc-trust.create"));
    assert_eq!((events[1].0.as_str(), events[1].1.as_str()), ("job:octo/lib", "token.exchange"));
    assert_eq!(events[1].2["sha"], "1".repeat(40));
}

#[database_test]
async fn names_the_wrong_claim(fixture: OidcFixture) {
    let now = jsonwebtoken::get_current_timestamp();
    for (changes, reason) in [
        (json!({"iss": "https://token.actions.githubusercontent.com"}), "another issuer (iss)"),
        (json!({"iss": null}), "lacks one of aud, exp, iss"),
        (json!({"aud": "https://other.example.org"}), "another server (aud)"),
        (json!({"aud": null}), "lacks one of aud"),
        (json!({"exp": now - 60}), "expired (exp)"),
        (json!({"exp": null}), "lacks"),
        (json!({"nbf": now + 60}), "not valid yet (nbf)"),
        (json!({"nbf": null}), "lacks one of aud, exp, iss and nbf"),
        (json!({"iat": now + 60}), "in the future (iat)"),
        (json!({"iat": null}), "lacks a claim"),
        (json!({"jti": null}), "lacks a claim"),
        (json!({"repository_id": null}), "lacks a claim"),
        (json!({"repository_id": "octo/lib"}), "in an unexpected form"),
        (json!({"repository_owner_id": null}), "lacks a claim"),
        (json!({"workflow_ref": null}), "lacks a claim"),
        (json!({"event_name": null}), "lacks a claim"),
        (json!({"sha": null}), "lacks a claim"),
        (json!({"ref": null}), "lacks a claim"),
        (json!({"jti": "a\0"}), "in an unexpected form"),
        (json!({"repository": "octo/lib\0"}), "in an unexpected form"),
        (json!({"workflow_ref": "a\0"}), "in an unexpected form"),
        (json!({"event_name": "push\0"}), "in an unexpected form"),
        (json!({"sha": "a\0"}), "in an unexpected form"),
        (json!({"ref": "a\0"}), "in an unexpected form"),
        (json!({"environment": "a\0"}), "in an unexpected form"),
    ] {
        let problem = fixture.exchange_with(changes.clone()).await.assert_problem(401, "unauthenticated");
        assert!(problem.detail.contains(reason), "{changes}: {problem:?}");
    }
    assert_eq!(fixture.app.row_counts().await["oidc_use"], 0);
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201, "the unchanged claims are valid");
}

#[database_test]
async fn rejects_tokens_not_signed_with_rs256(fixture: OidcFixture) {
    let claims = fixture.claims();
    let name = fixture.issuer.key_name();
    let right = fixture.issuer.sign(&claims);

    let none = token(&json!({"alg": "none", "typ": "JWT", "kid": name}), &claims, "");
    fixture.assert_wrong(&none, "not signed with RS256").await;

    // The public key, used as if it were a shared secret.
    let modulus = fixture.issuer.public_key()["n"].as_str().unwrap().to_owned();
    for secret in [modulus.clone().into_bytes(), BASE64_URL_SAFE_NO_PAD.decode(&modulus).unwrap()] {
        let header = Header { kid: Some(name.clone()), ..Header::new(Algorithm::HS256) };
        let forged = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&secret)).unwrap();
        fixture.assert_wrong(&forged, "not signed with RS256").await;
    }

    let mut changed = claims.clone();
    changed["repository_id"] = json!("102");
    let signature = right.rsplit('.').next().unwrap();
    let header = json!({"alg": "RS256", "typ": "JWT", "kid": name});
    let forged = token(&header, &changed, signature);
    fixture.assert_wrong(&forged, "the job's token has an invalid signature").await;
    fixture.assert_wrong(&token(&json!({"alg": "RS256"}), &claims, signature), "has no key id").await;
    for malformed in ["", "a.b.c", "rtc_0000", &right[..right.len() / 2]] {
        fixture.assert_wrong(malformed, "the job's token").await;
    }
    assert_eq!(fixture.exchange(&right).await.status, 201);
}

#[database_test]
async fn token_is_exchanged_once(fixture: OidcFixture) {
    let token = fixture.issuer.sign(&fixture.claims());
    assert_eq!(fixture.exchange(&token).await.status, 201);
    fixture.assert_wrong(&token, "already exchanged").await;
    // Another signature of the same id counts as the same token.
    let mut claims = fixture.claims();
    claims["jti"] = json!("one");
    assert_eq!(fixture.exchange(&fixture.issuer.sign(&claims)).await.status, 201);
    claims["exp"] = json!(claims["exp"].as_u64().unwrap() + 1);
    fixture.assert_wrong(&fixture.issuer.sign(&claims), "already exchanged").await;
    let tokens: i64 = fixture.app.scalar("select count(*) from token where kind = 'ci'").await;
    assert_eq!(tokens, 2, "rejected exchanges leave no token");
}

#[database_test]
async fn concurrent_exchanges_succeed_once(fixture: OidcFixture) {
    let token = fixture.issuer.sign(&fixture.claims());
    let (one, other, third) =
        tokio::join!(fixture.exchange(&token), fixture.exchange(&token), fixture.exchange(&token));
    let mut statuses = [one, other, third].map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 401, 401]);
}

#[database_test]
async fn trust_matches_repository_owner_and_patterns(pool: PgPool) {
    let fixture = OidcFixture::with_refresh_interval(pool, Duration::ZERO).await;
    let assert_untrusted = async |changes: Value| {
        let problem = fixture.exchange_with(changes.clone()).await.assert_problem(403, "forbidden");
        assert!(problem.detail.contains("no project trusts this"), "{changes}: {problem:?}");
    };
    assert_untrusted(json!({})).await;
    let patterns = json!({
        "workflow_ref": "octo/lib/.github/workflows/*@refs/heads/main", "git_ref": "refs/heads/*", "environment": "lab",
    });
    assert_eq!(fixture.trust(patterns).await.status, 201);
    let right = json!({"environment": "lab"});
    for change in [
        json!({"repository_id": "102"}),
        json!({"repository_owner_id": "8"}),
        json!({"workflow_ref": "octo/lib/.github/workflows/measure.yml@refs/heads/fix"}),
        json!({"ref": "refs/tags/v1"}),
        json!({"environment": "elsewhere"}),
        json!({"environment": null}),
    ] {
        let mut changes = right.clone();
        changes.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        assert_untrusted(changes).await;
    }
    // A name can be taken over by another owner.
    let renamed = json!({"environment": "lab", "repository": "other/name"});
    assert_eq!(fixture.exchange_with(renamed).await.status, 201);
}

#[database_test]
async fn fork_jobs_get_no_token(fixture: OidcFixture) {
    for event in
        ["pull_request", "pull_request_target", "issue_comment", "pull_request_review", "fork", "new-one"]
    {
        let answer = fixture.exchange_with(json!({"event_name": event})).await;
        let problem = answer.assert_problem(403, "forbidden");
        assert!(problem.detail.contains(event) && problem.detail.contains("workflow_run"), "{problem:?}");
    }
    for event in ["push", "schedule", "workflow_dispatch", "merge_group", "release"] {
        assert_eq!(fixture.exchange_with(json!({"event_name": event})).await.status, 201, "{event}");
    }
}

#[database_test]
async fn job_that_may_follow_an_attack_of_a_fork_uploads_only_quarantined_runs(fixture: OidcFixture) {
    let answer = fixture.exchange_with(json!({"event_name": "workflow_run"})).await;
    assert_eq!(answer.status, 201);
    let exchanged: Value = answer.json();
    assert_eq!(exchanged["scopes"], json!(["ingest:quarantined"]));
    let token = exchanged["token"].as_str().unwrap();
    let report = factory::nth(2);
    let problem = fixture.app.put_as(token, &report).await.assert_problem(403, "forbidden");
    assert!(problem.detail.contains("ingest:write"), "{problem:?}");
    let import = factory::import(
        &factory::nth_with(3, Vec::new()),
        "bench.txt",
        Some("go"),
        b"BenchmarkA-8 1 1 ns/op\n",
    );
    let answer = fixture.app.send("POST", "/api/v1/import", token, Some(import)).await;
    answer.assert_problem(403, "forbidden");
    fixture.app.hide("libfoo").await;
    fixture
        .app
        .send("GET", "/api/v1/projects/libfoo", token, None)
        .await
        .assert_problem(404, "unknown-project");

    let bearer = format!("Bearer {token}");
    let path = format!("{}?quarantined=true", report.run_id);
    let body = serde_json::to_vec(&report).unwrap();
    let answer = fixture.app.put_bytes(&path, &[("authorization", &bearer)], body).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let is_quarantined = format!("select quarantined from run where run_id = '{}'", report.run_id);
    assert!(fixture.app.scalar::<bool>(&is_quarantined).await);
}

#[database_test]
async fn fetches_keys_once_and_after_rotation(fixture: OidcFixture) {
    let old = fixture.issuer.sign(&fixture.claims());
    for _ in 0..3 {
        assert_eq!(fixture.exchange_with(json!({})).await.status, 201);
    }
    assert_eq!(fixture.issuer.key_requests(), 1);
    fixture.issuer.rotate();
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201);
    assert_eq!(fixture.issuer.key_requests(), 2);
    fixture.assert_wrong(&old, "a key unknown to its issuer").await;
}

#[database_test]
async fn unknown_key_ids_do_not_cause_repeated_fetches(pool: PgPool) {
    let fixture = OidcFixture::with_refresh_interval(pool, Duration::from_secs(3_600)).await;
    fixture.trust(json!({})).await;
    for number in 0..5 {
        let header = json!({"alg": "RS256", "typ": "JWT", "kid": format!("made-up-{number}")});
        fixture.assert_wrong(&token(&header, &fixture.claims(), "AA"), "a key unknown to its issuer").await;
    }
    assert_eq!(fixture.issuer.key_requests(), 1);
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201, "cached keys still work");
}

#[database_test]
async fn unavailable_issuer_is_a_temporary_error(fixture: OidcFixture) {
    fixture.issuer.set_down(true);
    fixture.exchange_with(json!({})).await.assert_problem(503, "unavailable");
    fixture.issuer.set_down(false);
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201);
    fixture.issuer.set_down(true);
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201, "its keys are cached");
}

#[database_test]
async fn uses_only_the_issuers_keys(fixture: OidcFixture) {
    let elsewhere = FakeIssuer::start();
    for members in [
        json!({"jwks_uri": format!("{}/.well-known/jwks", elsewhere.url())}),
        json!({"issuer": elsewhere.url()}),
        json!({"jwks_uri": "file:///etc/passwd"}),
        json!({"jwks_uri": 1}),
    ] {
        fixture.issuer.set_discovery(members);
        fixture.exchange_with(json!({})).await.assert_problem(503, "unavailable");
    }
    assert_eq!((elsewhere.key_requests(), fixture.issuer.key_requests()), (0, 0));
}

#[database_test]
async fn job_selects_among_trusting_projects(fixture: OidcFixture) {
    let other = RunReport { project: factory::slug("other"), ..factory::nth(3) };
    fixture.app.store(&other).await;
    let grace = fixture.app.member("grace", "other", Role::Maintainer).await;
    let path = "/api/v1/projects/other/oidc-trusts";
    assert_eq!(fixture.app.send("POST", path, &grace, Some(trust_request())).await.status, 201);
    fixture.exchange_with(json!({})).await.assert_invalid("project");
    let sent = |project: &str| json!({"token": fixture.issuer.sign(&fixture.claims()), "project": project});
    let exchanged: Value = fixture.app.post(EXCHANGE, &sent("other")).await.json();
    assert_eq!(exchanged["project"], "other");
    fixture.app.post(EXCHANGE, &sent("third")).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn maintainers_manage_trusts(fixture: OidcFixture) {
    let app = &fixture.app;
    let trusts = app.read_as(&fixture.ada, TRUSTS).await;
    let trust = &trusts["trusts"][0];
    assert_eq!(at(trust, "repository,issuer"), json!(["octo/lib", fixture.issuer.url()]));
    let path = format!("{TRUSTS}/{}", trust["oidc_trust_id"]);
    let contributor = app.member("grace", "libfoo", Role::Contributor).await;
    for (method, path) in [("GET", TRUSTS), ("DELETE", &path)] {
        app.send(method, path, &contributor, None).await.assert_problem(403, "forbidden");
        app.send(method, path, "", None).await.assert_problem(401, "unauthenticated");
    }
    for (changes, name) in [
        (json!({"repository": ""}), "repository"),
        (json!({"git_ref": "a\nb"}), "git_ref"),
        (json!({"environment": "e".repeat(501)}), "environment"),
        (json!({"repository_id": "101"}), "repository_id"),
    ] {
        fixture.trust(changes).await.assert_invalid(name);
    }
    let exchanged: Value = fixture.exchange_with(json!({})).await.json();
    let token = exchanged["token"].as_str().unwrap().to_owned();
    let used = fixture.issuer.sign(&fixture.claims());
    assert_eq!(fixture.exchange(&used).await.status, 201);
    assert_eq!(app.send("DELETE", &path, &fixture.ada, None).await.status, 204);
    app.send("GET", "/api/v1/session", &token, None).await.assert_problem(401, "unauthenticated");
    app.send("DELETE", &path, &fixture.ada, None).await.assert_problem(404, "unknown-oidc-trust");
    fixture.exchange_with(json!({})).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn exchange_deletes_expired_entries(fixture: OidcFixture) {
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201);
    let counts = async || {
        let counts = fixture.app.row_counts().await;
        (counts["oidc_use"], counts["token"])
    };
    let before = counts().await;
    fixture.app.execute("update oidc_use set expires_at = now() - interval '1 second'").await;
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201);
    assert_eq!(counts().await, before);
}

#[database_test]
async fn deleting_a_project_deletes_its_trusts(fixture: OidcFixture) {
    assert_eq!(fixture.exchange_with(json!({})).await.status, 201);
    let admin = fixture.app.member("root", "libfoo", Role::Admin).await;
    assert_eq!(fixture.app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await.status, 204);
    let counts = fixture.app.row_counts().await;
    assert_eq!((counts["oidc_trust"], counts["oidc_use"]), (0, 0));
    fixture.exchange_with(json!({})).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn exchange_requires_settings(app: TestApp) {
    app.post(EXCHANGE, &json!({"token": "x"})).await.assert_problem(404, "unknown-sign-in");
}

#[test]
fn rejects_invalid_issuer_and_audience() {
    let verifier = |issuer: &str, audience: &str| {
        let (issuer, audience) = (issuer.into(), audience.into());
        Verifier::new(Settings { issuer, audience, refresh_interval: Duration::ZERO })
    };
    for issuer in ["", "token.actions.githubusercontent.com", "ftp://host", "https://"] {
        assert!(verifier(issuer, AUDIENCE).is_err(), "{issuer}");
    }
    assert!(verifier("https://token.actions.githubusercontent.com", "").is_err());
    assert_eq!(job()["event_name"], "push");
}
