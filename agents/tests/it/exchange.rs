//! `roundtrip exchange`: the exchange of a job's identity token, and its errors.

use crate::server::{self, Answer, Server, header};
use crate::{error_text, printed, refused, roundtrip};
use std::path::Path;
use std::process::{Command, Output};

const JOB_TOKEN: Answer =
    ("200 OK", "content-type: application/json\r\n", |_| r#"{"count":1,"value":"e30.e30.signature"}"#.into());
const EXCHANGED: Answer = ("201 Created", "content-type: application/json\r\n", |_| {
    r#"{"token":"rtc_secret","project":"lib","scopes":["read"],"expires_at":"2026-12-04T10:00:00Z"}"#.into()
});
const UNTRUSTED: Answer = ("403 Forbidden", "content-type: application/problem+json\r\n", |_| {
    r#"{"type":"","title":"","status":403,"code":"forbidden","detail":"no project here trusts jobs of this"}"#
        .into()
});
const NOTHING: Answer = ("500 Internal Server Error", "", |_| String::new());

/// Runs it with this address for GitHub, if any, and this server.
fn command(folder: &Path, github: Option<String>, server: &str) -> Command {
    let mut command = roundtrip(folder);
    if let Some(url) = github {
        command.env("ACTIONS_ID_TOKEN_REQUEST_URL", url);
        command.env("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "request-token");
    }
    command.args(["exchange", "--server", server, "--output", "token"]);
    command
}

fn exchange(folder: &Path, github: Option<&str>, server: &str) -> Output {
    let github = github.map(|url| format!("{url}/token?api-version=2"));
    command(folder, github, server).output().unwrap()
}

#[test]
fn exchanges_the_jobs_token() {
    let folder = tempfile::tempdir().unwrap();
    let (github, server) = (Server::answering(vec![JOB_TOKEN]), Server::answering(vec![EXCHANGED]));
    let asked = format!("{}/token?api-version=2", github.url);
    let mut command = command(folder.path(), Some(asked), &format!("{}/", server.url));
    let output = command.args(["--project", "lib"]).output().unwrap();
    printed(&output);
    let audience = server.url.replace(':', "%3A").replace('/', "%2F");
    let asked = &github.requests()[0].head;
    assert!(asked.starts_with(&format!("GET /token?api-version=2&audience={audience} ")), "{asked}");
    assert_eq!(header(asked, "authorization"), "Bearer request-token");
    let sent = &server.requests()[0];
    assert!(sent.head.starts_with("POST /api/v1/oidc/exchange "), "{}", sent.head);
    let body: serde_json::Value = serde_json::from_slice(&sent.body).unwrap();
    assert_eq!(body, serde_json::json!({"token": "e30.e30.signature", "project": "lib"}));
    let path = folder.path().join("token");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "rtc_secret\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(output.stdout.is_empty() && !error_text(&output).contains("rtc_secret"), "{output:?}");
}

#[test]
fn masks_the_token_in_the_jobs_log() {
    let folder = tempfile::tempdir().unwrap();
    let (github, server) = (Server::answering(vec![JOB_TOKEN]), Server::answering(vec![EXCHANGED]));
    let mut command = command(folder.path(), Some(format!("{}/token", github.url)), &server.url);
    command.env("GITHUB_ACTIONS", "true").args(["--audience", "https://a.example.org"]);
    assert_eq!(printed(&command.output().unwrap()), "::add-mask::rtc_secret\n");
    let asked = &github.requests()[0].head;
    assert!(asked.starts_with("GET /token?audience=https%3A%2F%2Fa.example.org "), "{asked}");
}

#[test]
fn names_the_missing_permission() {
    let folder = tempfile::tempdir().unwrap();
    let output = exchange(folder.path(), None, "http://127.0.0.1:1");
    refused(&output, 5, &["`permissions: id-token: write`"]);
}

#[test]
fn separates_server_and_github_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (github, server) = (Server::answering(vec![JOB_TOKEN]), Server::answering(vec![UNTRUSTED]));
    let output = exchange(folder.path(), Some(&github.url), &server.url);
    refused(&output, 5, &["the server returned 403 forbidden: no project here trusts"]);

    let github = Server::answering(vec![NOTHING]);
    let output = exchange(folder.path(), Some(&github.url), "http://127.0.0.1:1");
    refused(&output, 5, &["GitHub refused an OIDC token for this job"]);

    let github = Server::answering(vec![JOB_TOKEN]);
    let output = exchange(folder.path(), Some(&github.url), &format!("http://{}", server::unused_address()));
    refused(&output, 1, &["no response from"]);
    assert!(!folder.path().join("token").exists());
}
