//! `roundtrip project` and `roundtrip job`, with a test server.

use crate::run::{commit, git, repository};
use crate::server::{Answer, Server, header};
use crate::{assert_contains, error_text, printed, printed_json, refused, roundtrip, run_command};
use std::fs;
use std::path::Path;
use std::process::Output;

const JOB: &str = r#"{"job_id": 7, "machine": "lab-1", "labels": [], "commit_sha": "SHA", "base_sha": null,
  "reason": "request", "status": "failed", "attempt": 1, "created_at": "2026-11-28T10:00:00Z",
  "started_at": "2026-11-28T10:01:00Z", "done_at": null, "failure": "build failed", "done_by_run_id": null"#;

fn job() -> String {
    JOB.replace("SHA", &"a".repeat(40))
}

const QUEUED: Answer = ("201 Created", "", |_| r#"{"job_ids": [7, 8]}"#.into());
const ALREADY_QUEUED: Answer = ("201 Created", "", |_| r#"{"job_ids": []}"#.into());
const JOBS: Answer = ("200 OK", "", |_| format!(r#"{{"jobs": [{}}}], "next_after": null}}"#, job()));
const DETAIL: Answer = ("200 OK", "", |_| {
    let attempt = r#"{"fence": 1, "machine": "lab-1", "started_at": "2026-11-28T10:01:00Z",
      "ended_at": "2026-11-28T10:02:00Z", "outcome": "failed", "reason": "build failed", "output": "no such file\n"}"#;
    format!(r#"{}, "attempts": [{attempt}]}}"#, job())
});
const FORBIDDEN: Answer = ("403 Forbidden", "content-type: application/problem+json\r\n", |_| {
    r#"{"type":"","title":"","status":403,"code":"forbidden","detail":"expected scope project:write"}"#.into()
});

fn project(name: &str) -> String {
    format!(
        r#"{{"project": "{name}", "visibility": "public", "default_branch": null, "repository_url": null,
            "run_count": 12, "commit_count": 3, "machine_count": 1, "series_count": 4}}"#
    )
}

fn run(folder: &Path, words: &[&str], server: &str) -> Output {
    fs::write(folder.join("token"), "rtu_secret\n").unwrap();
    run_command(folder, &[words, &["--server", server, "--token-file", "token"]].concat())
}

#[test]
fn queues_jobs_for_revisions_of_the_repository() {
    let folder = repository();
    let folder = folder.path();
    fs::write(folder.join("roundtrip.toml"), "project = 'courier'").unwrap();
    commit(folder, "two");
    let sha = |revision: &str| git(folder, &["rev-parse", revision]).trim().to_owned();

    let server = Server::answering(vec![QUEUED]);
    let words = ["job", "create", "HEAD~1", "HEAD", "--machine", "lab-1", "--preset", "quick"];
    assert_eq!(printed(&run(folder, &words, &server.url)), "7\n8\n");
    let sent = &server.requests()[0];
    assert!(sent.head.starts_with("POST /api/v1/projects/courier/jobs "), "{}", sent.head);
    assert_eq!(header(&sent.head, "authorization"), "Bearer rtu_secret");
    let body: serde_json::Value = serde_json::from_slice(&sent.body).unwrap();
    assert_eq!(body["commits"], serde_json::json!([sha("HEAD~1"), sha("HEAD")]));
    assert_eq!((&body["machines"][0], &body["preset"]), (&"lab-1".into(), &"quick".into()));

    // Without a revision, the checked-out commit; elsewhere, a full SHA.
    let server = Server::answering(vec![ALREADY_QUEUED]);
    let output = run(folder, &["job", "create"], &server.url);
    assert_eq!(printed(&output), "");
    assert_contains(&error_text(&output), &["these jobs are already queued"]);
    let body: serde_json::Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!(body["commits"], serde_json::json!([sha("HEAD")]));
    let elsewhere = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![QUEUED]);
    printed(&run(elsewhere.path(), &["job", "create", &"a".repeat(40), "--project", "courier"], &server.url));
    let words = ["job", "create", "main", "--project", "courier"];
    refused(&run(elsewhere.path(), &words, "http://127.0.0.1:1"), 2, &["`main`: not in a Git repository"]);
    refused(&run(folder, &["job", "create", "v9"], "http://127.0.0.1:1"), 2, &["no revision `v9`"]);
}

#[test]
fn lists_and_shows_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let of = |answer: Answer, words: &[&str]| {
        let server = Server::answering(vec![answer]);
        let output = run(folder, &[words, &["--project", "courier"]].concat(), &server.url);
        (output, server.requests().swap_remove(0).head)
    };
    let (output, asked) = of(JOBS, &["job", "list"]);
    assert!(asked.starts_with("GET /api/v1/projects/courier/jobs?limit=50 "), "{asked}");
    assert_contains(&printed(&output), &["NUMBER", "lab-1", "request", "2026-11-28 10:00 UTC"]);
    let (output, asked) = of(DETAIL, &["job", "show", "7"]);
    assert!(asked.starts_with("GET /api/v1/projects/courier/jobs/7 "), "{asked}");
    let expected = [
        "Failure         build failed",
        "\n2026-11-28 10:02 UTC on lab-1, failed: build failed\nno such file",
    ];
    assert_contains(&printed(&output), &expected);
    let (output, _) = of(JOBS, &["job", "list", "--format", "json"]);
    assert_eq!(printed_json(&output)["jobs"][0]["job_id"], 7);
}

#[test]
fn creates_lists_and_shows_projects() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = |_: &[u8]| format!(r#"{{"projects": [{}], "next_after": "courier"}}"#, project("courier"));
    let second = |_: &[u8]| format!(r#"{{"projects": [{}], "next_after": null}}"#, project("queue"));
    let server = Server::answering(vec![("200 OK", "", first), ("200 OK", "", second)]);
    let text = printed(&run(folder, &["project", "list"], &server.url));
    assert_contains(&text, &["NAME", "courier", "queue", "12"]);
    assert!(server.requests()[1].head.starts_with("GET /api/v1/projects?after=courier "));

    let server = Server::answering(vec![("200 OK", "", |_| project("courier"))]);
    let text = printed(&run(folder, &["project", "show", "courier"], &server.url));
    assert_contains(&text, &["Name            courier\n", "Default branch  from the first run\n"]);

    let server = Server::answering(vec![("201 Created", "", |_| r#"{"project": "courier"}"#.into())]);
    let words = ["project", "create", "courier", "--repository", "https://git.example.org/courier.git"];
    assert_eq!(printed(&run(folder, &words, &server.url)), "created project courier\n");
    let body: serde_json::Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!(body["repository_url"], "https://git.example.org/courier.git");
}

#[test]
fn names_the_missing_token() {
    let folder = repository();
    let server = Server::answering(vec![FORBIDDEN]);
    let words = ["job", "create", "--project", "courier", "--server", &server.url];
    let output = roundtrip(folder.path()).args(words).output().unwrap();
    refused(&output, 5, &["expected scope project:write", "Pass --token-file"]);
}
