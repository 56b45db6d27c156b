//! The fake rejects what GitHub rejects, so tests against it are meaningful.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use roundtrip_github_fake::{APP_KEY, FakeGitHub, Fault, Level, NewPullRequest, OTHER_APP_KEY, Settings};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

struct Client {
    github: FakeGitHub,
    installation: u64,
}

type Response = ureq::http::Response<String>;

impl Client {
    fn new(settings: Settings) -> Self {
        Self::with_head(settings, &"1".repeat(40))
    }

    /// Starts a fake with a pull request of this commit.
    fn with_head(settings: Settings, head: &str) -> Self {
        let github = FakeGitHub::start(settings);
        let installation = github.install("acme");
        github.add_repository("acme/libfoo", false, Some(installation));
        github.add_repository("acme/hidden", true, Some(installation));
        github.add_repository("other/libbar", true, None);
        let new = NewPullRequest {
            number: 7,
            author: "grace".into(),
            head_sha: head.into(),
            base_sha: "b".repeat(40),
            head_branch: "topic".into(),
            fork: None,
        };
        github.open("acme/libfoo", new);
        Self { github, installation }
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Option<Response> {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).user_agent("").build().into();
        let mut request =
            ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.github.api_url()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (parts, mut answer) = agent.run(request.body(body).unwrap()).ok()?.into_parts();
        Some(ureq::http::Response::from_parts(parts, answer.read_to_string().ok()?))
    }

    fn proper(&self, method: &str, path: &str, bearer: &str, body: &Value) -> Option<Response> {
        let authorization = format!("Bearer {bearer}");
        let headers = [
            ("user-agent", "test"),
            ("accept", "application/vnd.github+json"),
            ("x-github-api-version", "2022-11-28"),
            ("content-type", "application/json"),
            ("authorization", authorization.as_str()),
        ];
        self.send(method, path, &headers, body)
    }

    fn status(&self, method: &str, path: &str, bearer: &str, body: &Value) -> u16 {
        self.proper(method, path, bearer, body).unwrap().status().as_u16()
    }

    fn jwt(&self, key: &str, issuer: &str, from: i64, seconds: i64) -> String {
        let now = self.github.now().timestamp();
        let claims = json!({"iss": issuer, "iat": now + from, "exp": now + from + seconds});
        let key = EncodingKey::from_rsa_pem(key.as_bytes()).unwrap();
        jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &key).unwrap()
    }

    fn token(&self, requested: &Value) -> Response {
        let path = format!("/app/installations/{}/access_tokens", self.installation);
        let all = json!({});
        let requested = if requested.is_null() { &all } else { requested };
        self.proper("POST", &path, &self.jwt(APP_KEY, "123456", -60, 540), requested).unwrap()
    }

    fn secret(&self, requested: &Value) -> String {
        let answer: Value = serde_json::from_str(self.token(requested).body()).unwrap();
        answer["token"].as_str().unwrap().to_owned()
    }
}

#[test]
fn required_headers_are_checked() {
    let client = Client::new(Settings::default());
    let accept = ("accept", "application/vnd.github+json");
    let status =
        |headers: &[(&str, &str)]| client.send("GET", "/app", headers, &Value::Null).unwrap().status();
    assert_eq!(status(&[accept]), 403, "without a user agent");
    assert_eq!(status(&[("user-agent", "test")]), 415);
    assert_eq!(status(&[("user-agent", "test"), accept]), 400, "without a version");
}

#[test]
fn app_jwt_needs_the_right_key_and_lasts_ten_minutes() {
    let client = Client::new(Settings::default());
    let status = |jwt: &str| client.status("GET", "/app", jwt, &Value::Null);
    assert_eq!(status(&client.jwt(APP_KEY, "123456", -60, 600)), 200);
    for (jwt, why) in [
        (client.jwt(OTHER_APP_KEY, "123456", -60, 540), "another key"),
        (client.jwt(APP_KEY, "7", -60, 540), "another App"),
        (client.jwt(APP_KEY, "123456", 0, 700), "too long"),
        (client.jwt(APP_KEY, "123456", -900, 600), "over"),
        (client.jwt(APP_KEY, "123456", 300, 200), "to come"),
        ("nonsense".to_owned(), "none"),
    ] {
        assert_eq!(status(&jwt), 401, "{why}");
    }
}

#[test]
fn tokens_are_limited_in_permissions_and_time() {
    let client = Client::new(Settings { prefix: "/api/v3".into(), ..Settings::default() });
    assert_eq!(client.token(&json!({"permissions": {"administration": "write"}})).status(), 422);
    let token = client.secret(&json!({"permissions": {"pull_requests": "read", "metadata": "read"}}));
    let comments = "/repos/acme/libfoo/issues/7/comments";
    let body = json!({"body": "x"});
    assert_eq!(client.status("GET", comments, &token, &Value::Null), 200);
    assert_eq!(client.status("POST", comments, &token, &body), 403);
    assert_eq!(client.status("GET", "/repos/other/libbar", &token, &Value::Null), 404);
    assert_eq!(client.status("GET", comments, "ghs_nonsense", &Value::Null), 401);
    let all = client.secret(&Value::Null);
    assert_eq!(client.status("POST", comments, &all, &body), 201);
    assert_eq!(client.status("POST", comments, &all, &json!({"body": "x".repeat(65_537)})), 422);
    client.github.suspend(client.installation, true);
    assert_eq!(client.status("GET", comments, &all, &Value::Null), 403);
    client.github.suspend(client.installation, false);
    client.github.advance(3_601);
    assert_eq!(client.status("GET", comments, &all, &Value::Null), 401);
}

#[test]
fn lists_are_paginated() {
    let client = Client::new(Settings::default());
    for number in 0..150 {
        client.github.comment("acme/libfoo", 7, "grace", &number.to_string());
    }
    let token = client.secret(&Value::Null);
    let page = |query: &str| {
        let path = format!("/repos/acme/libfoo/issues/7/comments{query}");
        let answer = client.proper("GET", &path, &token, &Value::Null).unwrap();
        let link = answer.headers().get("link").map(|value| value.to_str().unwrap().to_owned());
        let entries: Vec<Value> = serde_json::from_str(answer.body()).unwrap();
        (entries.len(), link.unwrap_or_default())
    };
    assert_eq!(page("").0, 30);
    let (count, link) = page("?per_page=500");
    assert_eq!(count, 100);
    assert!(link.contains("page=2") && link.ends_with("rel=\"next\""), "{link}");
    assert_eq!(page("?per_page=100&page=2"), (50, String::new()));
}

#[test]
fn more_than_80_writes_per_minute_are_rejected() {
    let client = Client::new(Settings::default());
    let token = client.secret(&Value::Null);
    let write = || {
        client.proper("POST", "/repos/acme/libfoo/issues/7/comments", &token, &json!({"body": "x"})).unwrap()
    };
    for _ in 0..80 {
        assert_eq!(write().status(), 201);
    }
    let refused = write();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (403, &"60".parse().unwrap()));
    assert_eq!(client.github.writes_in_busiest_minute(), 81, "the refused one counts, too");
    client.github.advance(61);
    assert_eq!(write().status(), 201);
    assert!(!client.github.record().last().unwrap().impatient);
}

#[test]
fn connection_cut_after_a_write_keeps_the_write() {
    let client = Client::new(Settings::default());
    let token = client.secret(&Value::Null);
    let path = "/repos/acme/libfoo/issues/7/comments";
    client.github.fail("POST", "/comments", Fault::CutBefore, 1);
    assert!(client.proper("POST", path, &token, &json!({"body": "one"})).is_none());
    assert!(client.github.app_comments("acme/libfoo", 7).is_empty());
    client.github.fail("POST", "/comments", Fault::CutAfter, 1);
    assert!(client.proper("POST", path, &token, &json!({"body": "two"})).is_none());
    assert_eq!(client.github.app_comments("acme/libfoo", 7), ["two"]);
}

#[test]
fn permissions_and_roles_match_github() {
    let client = Client::new(Settings::default());
    let token = client.secret(&Value::Null);
    client.github.allow("acme/libfoo", "ada", Level::Maintain);
    let level = |login: &str| {
        let path = format!("/repos/acme/libfoo/collaborators/{login}/permission");
        let answer: Value =
            serde_json::from_str(client.proper("GET", &path, &token, &Value::Null).unwrap().body()).unwrap();
        (answer["permission"].as_str().unwrap().to_owned(), answer["role_name"].as_str().unwrap().to_owned())
    };
    assert_eq!(level("ada"), ("write".into(), "maintain".into()));
    assert_eq!(level("mallory"), ("read".into(), "read".into()));
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn git_serves_pull_request_heads() {
    let folder = tempfile::tempdir().unwrap();
    let (source, bare) = (folder.path().join("source"), folder.path().join("git/acme"));
    std::fs::create_dir_all(&source).unwrap();
    std::fs::create_dir_all(&bare).unwrap();
    git(&source, &["init", "--quiet"]);
    git(&source, &["commit", "--quiet", "--allow-empty", "-m", "one"]);
    for name in ["libfoo", "hidden"] {
        git(&bare, &["clone", "--quiet", "--bare", source.to_str().unwrap(), &format!("{name}.git")]);
    }
    let head = git(&source, &["rev-parse", "HEAD"]);
    let settings = Settings { git_dir: Some(folder.path().join("git")), ..Settings::default() };
    let client = Client::with_head(settings, &head);
    let github = &client.github;
    let url = format!("{}/acme/libfoo.git", github.url());
    let refs = git(&source, &["ls-remote", &url, "refs/pull/7/head"]);
    assert!(refs.starts_with(&head), "{refs}");
    git(&source, &["fetch", "--quiet", &url, "refs/pull/7/head"]);

    let token = client.secret(&json!({"permissions": {"contents": "read"}}));
    let with = |user: &str| github.url().replace("http://", &format!("http://{user}@")) + "/acme/hidden.git";
    let refused = Command::new("git")
        .args(["ls-remote", &with("x-access-token:wrong")])
        .env("GIT_TERMINAL_PROMPT", "0")
        .output();
    assert!(!refused.unwrap().status.success());
    assert!(git(&source, &["ls-remote", &with(&format!("x-access-token:{token}"))]).contains(&head));
}
