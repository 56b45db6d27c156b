//! Jobs that prove who they are: every way in which a token can be wrong, and what a right one gets.

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

/// A server that takes tokens of a local issuer, and a project whose maintainer is ada.
struct World {
    app: TestApp,
    issuer: FakeIssuer,
    ada: String,
}

impl Fixture for World {
    async fn of(pool: PgPool) -> Self {
        let world = Self::asking_again_after(pool, Duration::ZERO).await;
        assert_eq!(world.trust(json!({})).await.status, 201);
        world
    }
}

impl World {
    async fn asking_again_after(pool: PgPool, refresh_interval: Duration) -> Self {
        let issuer = FakeIssuer::start();
        let settings = Settings { issuer: issuer.url(), audience: AUDIENCE.into(), refresh_interval };
        let app = TestApp::made(pool, |state| state.with_oidc(Verifier::new(settings).unwrap())).await;
        app.store(&factory::report()).await;
        let ada = app.member("ada", "libfoo", Role::Maintainer).await;
        Self { app, issuer, ada }
    }

    /// Trusts all jobs of the issuer's repository but for what is changed.
    async fn trust(&self, changes: Value) -> Answer {
        let mut request = json!({"repository": "octo/lib", "repository_id": 101, "repository_owner_id": 7});
        request.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.app.send("POST", TRUSTS, &self.ada, Some(request)).await
    }

    fn claims(&self) -> Value {
        self.issuer.claims(AUDIENCE)
    }

    async fn exchange(&self, token: &str) -> Answer {
        self.app.post(EXCHANGE, &json!({"token": token})).await
    }

    /// The answer to a token that says what a right one says, but for this.
    async fn with(&self, changes: Value) -> Answer {
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

/// A token made by hand.
fn token(header: &Value, claims: &Value, signature: &str) -> String {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.{signature}", part(header), part(claims))
}

#[database_test]
async fn a_trusted_job_gets_a_token_with_which_it_uploads_to_that_project_alone(world: World) {
    let answer = world.with(json!({})).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["cache-control"]),
        (201, &"no-store".parse().unwrap())
    );
    let exchanged: Value = answer.json();
    assert_eq!(at(&exchanged, "project,scopes"), json!(["libfoo", ["read", "ingest:write"]]));
    let token = exchanged["token"].as_str().unwrap();
    assert!(token.starts_with("rtc_"), "{token}");
    let minutes = "round(extract(epoch from expires_at - created_at) / 60)::bigint";
    let minutes: i64 = world.app.scalar(&format!("select {minutes} from token where kind = 'ci'")).await;
    assert_eq!(minutes, 15);
    let report = factory::nth(2);
    assert_eq!(world.app.put_as(token, &report).await.status, 201);
    let other = RunReport { project: factory::slug("other"), ..factory::nth(3) };
    world.app.put_as(token, &other).await.assert_problem(403, "forbidden");
    let events = "select actor, action, details from audit_event
                  where action in ('oidc-trust.create', 'token.exchange') order by audit_event_id";
    let events: Vec<(String, String, Value)> = world.app.rows(events).await;
    assert_eq!((events[0].0.as_str(), events[0].1.as_str()), ("account:ada", "oidc-trust.create"));
    assert_eq!((events[1].0.as_str(), events[1].1.as_str()), ("job:octo/lib", "token.exchange"));
    assert_eq!(events[1].2["sha"], "1".repeat(40));
}

#[database_test]
async fn a_token_whose_claims_are_wrong_is_refused_with_the_claim(world: World) {
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
        (json!({"repository_id": "octo/lib"}), "in another form"),
        (json!({"repository_owner_id": null}), "lacks a claim"),
        (json!({"workflow_ref": null}), "lacks a claim"),
        (json!({"event_name": null}), "lacks a claim"),
        (json!({"sha": null}), "lacks a claim"),
        (json!({"ref": null}), "lacks a claim"),
    ] {
        let problem = world.with(changes.clone()).await.assert_problem(401, "unauthenticated");
        assert!(problem.detail.contains(reason), "{changes}: {problem:?}");
    }
    assert_eq!(world.app.row_counts().await["oidc_use"], 0);
    assert_eq!(world.with(json!({})).await.status, 201, "nothing else was wrong");
}

#[database_test]
async fn a_token_that_is_not_signed_by_the_issuer_with_rs256_is_refused(world: World) {
    let claims = world.claims();
    let name = world.issuer.key_name();
    let right = world.issuer.sign(&claims);

    let none = token(&json!({"alg": "none", "typ": "JWT", "kid": name}), &claims, "");
    world.assert_wrong(&none, "another way than RS256").await;

    // The key that everybody knows, as if it were a secret.
    let modulus = world.issuer.public_key()["n"].as_str().unwrap().to_owned();
    for secret in [modulus.clone().into_bytes(), BASE64_URL_SAFE_NO_PAD.decode(&modulus).unwrap()] {
        let header = Header { kid: Some(name.clone()), ..Header::new(Algorithm::HS256) };
        let forged = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&secret)).unwrap();
        world.assert_wrong(&forged, "another way than RS256").await;
    }

    let mut changed = claims.clone();
    changed["repository_id"] = json!("102");
    let signature = right.rsplit('.').next().unwrap();
    let header = json!({"alg": "RS256", "typ": "JWT", "kid": name});
    world
        .assert_wrong(&token(&header, &changed, signature), "the signature of the job's token is wrong")
        .await;
    world.assert_wrong(&token(&json!({"alg": "RS256"}), &claims, signature), "names no key").await;
    for malformed in ["", "a.b.c", "rtc_0000", &right[..right.len() / 2]] {
        world.assert_wrong(malformed, "the job's token").await;
    }
    assert_eq!(world.exchange(&right).await.status, 201);
}

#[database_test]
async fn a_token_is_good_for_one_exchange(world: World) {
    let token = world.issuer.sign(&world.claims());
    assert_eq!(world.exchange(&token).await.status, 201);
    world.assert_wrong(&token, "exchanged before").await;
    // Signed anew with the same identity it is the same.
    let mut claims = world.claims();
    claims["jti"] = json!("one");
    assert_eq!(world.exchange(&world.issuer.sign(&claims)).await.status, 201);
    claims["exp"] = json!(claims["exp"].as_u64().unwrap() + 1);
    world.assert_wrong(&world.issuer.sign(&claims), "exchanged before").await;
    let tokens: i64 = world.app.scalar("select count(*) from token where kind = 'ci'").await;
    assert_eq!(tokens, 2, "none is left of what was refused");
}

#[database_test]
async fn of_tokens_that_are_sent_at_once_one_is_exchanged(world: World) {
    let token = world.issuer.sign(&world.claims());
    let (one, other, third) =
        tokio::join!(world.exchange(&token), world.exchange(&token), world.exchange(&token));
    let mut statuses = [one, other, third].map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 401, 401]);
}

#[database_test]
async fn only_jobs_of_the_repository_and_its_owner_are_trusted_and_those_that_the_patterns_say(pool: PgPool) {
    let world = World::asking_again_after(pool, Duration::ZERO).await;
    let refused = |answer: Answer| answer.assert_problem(403, "forbidden").detail;
    assert!(refused(world.with(json!({})).await).contains("no project here trusts"));
    let patterns = json!({
        "workflow_ref": "octo/lib/.github/workflows/*@refs/heads/main", "git_ref": "refs/heads/*", "environment": "lab",
    });
    assert_eq!(world.trust(patterns).await.status, 201);
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
        assert!(refused(world.with(changes).await).contains("no project here trusts"), "{change}");
    }
    // A name can change hands.
    let renamed = json!({"environment": "lab", "repository": "other/name"});
    assert_eq!(world.with(renamed).await.status, 201);
}

#[database_test]
async fn a_job_in_which_strangers_may_have_a_part_gets_no_token(world: World) {
    for event in
        ["pull_request", "pull_request_target", "issue_comment", "pull_request_review", "fork", "new-one"]
    {
        let problem = world.with(json!({"event_name": event})).await.assert_problem(403, "forbidden");
        assert!(problem.detail.contains(event) && problem.detail.contains("workflow_run"), "{problem:?}");
    }
    for event in ["push", "schedule", "workflow_dispatch", "workflow_run", "merge_group", "release"] {
        assert_eq!(world.with(json!({"event_name": event})).await.status, 201, "{event}");
    }
}

#[database_test]
async fn keys_are_asked_for_once_and_again_when_they_were_changed(world: World) {
    let old = world.issuer.sign(&world.claims());
    for _ in 0..3 {
        assert_eq!(world.with(json!({})).await.status, 201);
    }
    assert_eq!(world.issuer.key_requests(), 1);
    world.issuer.rotate();
    assert_eq!(world.with(json!({})).await.status, 201);
    assert_eq!(world.issuer.key_requests(), 2);
    world.assert_wrong(&old, "a key that its issuer does not have").await;
}

#[database_test]
async fn made_up_names_of_keys_do_not_make_the_server_ask_again_and_again(pool: PgPool) {
    let world = World::asking_again_after(pool, Duration::from_secs(3_600)).await;
    world.trust(json!({})).await;
    for number in 0..5 {
        let header = json!({"alg": "RS256", "typ": "JWT", "kid": format!("made-up-{number}")});
        world
            .assert_wrong(&token(&header, &world.claims(), "AA"), "a key that its issuer does not have")
            .await;
    }
    assert_eq!(world.issuer.key_requests(), 1);
    assert_eq!(world.with(json!({})).await.status, 201, "those that are known are still good");
}

#[database_test]
async fn an_issuer_that_does_not_answer_is_no_fault_of_the_job(world: World) {
    world.issuer.set_down(true);
    world.with(json!({})).await.assert_problem(503, "unavailable");
    world.issuer.set_down(false);
    assert_eq!(world.with(json!({})).await.status, 201);
    world.issuer.set_down(true);
    assert_eq!(world.with(json!({})).await.status, 201, "its keys are known");
}

#[database_test]
async fn keys_are_taken_from_the_issuer_alone(world: World) {
    let elsewhere = FakeIssuer::start();
    for members in [
        json!({"jwks_uri": format!("{}/.well-known/jwks", elsewhere.url())}),
        json!({"issuer": elsewhere.url()}),
        json!({"jwks_uri": "file:///etc/passwd"}),
        json!({"jwks_uri": 1}),
    ] {
        world.issuer.say(members);
        world.with(json!({})).await.assert_problem(503, "unavailable");
    }
    assert_eq!((elsewhere.key_requests(), world.issuer.key_requests()), (0, 0));
}

#[database_test]
async fn of_several_projects_the_job_says_which(world: World) {
    let other = RunReport { project: factory::slug("other"), ..factory::nth(3) };
    world.app.store(&other).await;
    let grace = world.app.member("grace", "other", Role::Maintainer).await;
    let request = json!({"repository": "octo/lib", "repository_id": 101, "repository_owner_id": 7});
    let answer = world.app.send("POST", "/api/v1/projects/other/oidc-trusts", &grace, Some(request)).await;
    assert_eq!(answer.status, 201);
    let problem = world.with(json!({})).await.assert_problem(400, "invalid-parameter");
    assert!(problem.detail.contains("project"), "{problem:?}");
    let sent = |project: &str| json!({"token": world.issuer.sign(&world.claims()), "project": project});
    let exchanged: Value = world.app.post(EXCHANGE, &sent("other")).await.json();
    assert_eq!(exchanged["project"], "other");
    world.app.post(EXCHANGE, &sent("third")).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn maintainers_manage_whom_their_project_trusts_and_a_trust_ends_with_its_tokens(world: World) {
    let app = &world.app;
    let trusts: Value = app.send("GET", TRUSTS, &world.ada, None).await.json();
    let trust = &trusts["trusts"][0];
    assert_eq!((&trust["repository"], &trust["issuer"]), (&json!("octo/lib"), &json!(world.issuer.url())));
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
        let problem = world.trust(changes).await.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.contains(name), "{problem:?}");
    }
    let exchanged: Value = world.with(json!({})).await.json();
    let token = exchanged["token"].as_str().unwrap().to_owned();
    let used = world.issuer.sign(&world.claims());
    assert_eq!(world.exchange(&used).await.status, 201);
    assert_eq!(app.send("DELETE", &path, &world.ada, None).await.status, 204);
    app.send("GET", "/api/v1/session", &token, None).await.assert_problem(401, "unauthenticated");
    app.send("DELETE", &path, &world.ada, None).await.assert_problem(404, "unknown-oidc-trust");
    world.with(json!({})).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn what_has_expired_is_forgotten_with_the_next_exchange(world: World) {
    assert_eq!(world.with(json!({})).await.status, 201);
    let counts = async || {
        let counts = world.app.row_counts().await;
        (counts["oidc_use"], counts["token"])
    };
    let before = counts().await;
    world.app.execute("update oidc_use set expires_at = now() - interval '1 second'").await;
    assert_eq!(world.with(json!({})).await.status, 201);
    assert_eq!(counts().await, before);
}

#[database_test]
async fn a_project_goes_with_whom_it_trusts(world: World) {
    assert_eq!(world.with(json!({})).await.status, 201);
    let admin = world.app.member("root", "libfoo", Role::Admin).await;
    assert_eq!(world.app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await.status, 204);
    let counts = world.app.row_counts().await;
    assert_eq!((counts["oidc_trust"], counts["oidc_use"]), (0, 0));
    world.with(json!({})).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn without_settings_there_is_no_exchange(app: TestApp) {
    app.post(EXCHANGE, &json!({"token": "x"})).await.assert_problem(404, "unknown-sign-in");
}

#[test]
fn an_issuer_that_is_no_address_and_an_empty_audience_are_refused() {
    let verifier = |issuer: &str, audience: &str| {
        Verifier::new(Settings {
            issuer: issuer.into(),
            audience: audience.into(),
            refresh_interval: Duration::ZERO,
        })
    };
    for issuer in ["", "token.actions.githubusercontent.com", "ftp://host", "https://"] {
        assert!(verifier(issuer, AUDIENCE).is_err(), "{issuer}");
    }
    assert!(verifier("https://token.actions.githubusercontent.com", "").is_err());
    assert_eq!(job()["event_name"], "push");
}
