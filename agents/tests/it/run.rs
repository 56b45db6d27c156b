//! `roundtrip run`: errors before measuring, and no processes left behind.

use crate::server::wait_until;
use crate::{definition, printed, read_json, refused, roundtrip, run_command};
use std::path::Path;
use std::process::{Command, Stdio};

/// A repository with one commit.
pub(crate) fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    commit(folder.path(), "one");
    folder
}

/// Adds a commit.
pub(crate) fn commit(folder: &Path, subject: &str) {
    git(folder, &["commit", "-q", "--allow-empty", "-m", subject]);
}

/// Commits everything in the folder.
#[cfg(unix)]
pub(crate) fn commit_all(folder: &Path, subject: &str) {
    git(folder, &["add", "--all"]);
    commit(folder, subject);
}

/// The output of git.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=A. Author", "-c", "user.email=a@example.org"];
    printed(&Command::new("git").current_dir(folder).args(identity).args(arguments).output().unwrap())
}

#[test]
fn rejects_a_folder_without_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["Not a Git repository", "Run this in the checkout you want to measure"];
    refused(&run_command(folder.path(), &["run"]), 1, &words);
}

#[test]
fn lists_presets_for_an_unknown_one() {
    let folder = tempfile::tempdir().unwrap();
    refused(
        &run_command(folder.path(), &["run", "--preset", "quik"]),
        2,
        &["`quik`: expected one of", "quick"],
    );
}

#[test]
fn rejects_an_upload_without_a_token() {
    let folder = repository();
    let output = run_command(folder.path(), &["run", "--upload", "http://127.0.0.1:1"]);
    refused(&output, 5, &[]);
    assert!(output.stdout.is_empty());
}

#[test]
fn killed_run_leaves_no_peers() {
    let folder = repository();
    let mut run =
        roundtrip(folder.path()).arg("run").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", run.id());
    if !Path::new(&children).exists() {
        println!("not run, because this system does not list a process's children");
        run.kill().unwrap();
        run.wait().unwrap();
        return;
    }
    let mut peers = String::new();
    wait_until("the run has peers", || {
        peers = std::fs::read_to_string(&children).unwrap_or_default();
        !peers.trim().is_empty()
    });
    run.kill().unwrap();
    run.wait().unwrap();
    for peer in peers.split_whitespace() {
        wait_until("the peer has ended", || !is_peer(peer));
    }
}

/// Whether a process with this id is running and is one of ours.
pub(crate) fn is_peer(pid: &str) -> bool {
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.ends_with(b"\0peer\0"))
}

fn repository_with_small() -> tempfile::TempDir {
    let folder = repository();
    std::fs::write(folder.path().join("small.toml"), definition("tcp", 1)).unwrap();
    folder
}

/// The environment of a job for pull request 12, with this head.
fn pull_request(folder: &Path, head: &str) -> Vec<(&'static str, String)> {
    let side = |sha: &str| serde_json::json!({"ref": "fix", "sha": sha, "repo": {"id": 1, "owner": {"login": "octo"}}});
    let event = serde_json::json!({"pull_request": {"number": 12, "head": side(head), "base": side(head)}});
    std::fs::write(folder.join("event.json"), event.to_string()).unwrap();
    vec![
        ("GITHUB_ACTIONS", "true".into()),
        ("GITHUB_EVENT_NAME", "pull_request".into()),
        ("GITHUB_EVENT_PATH", folder.join("event.json").display().to_string()),
        ("GITHUB_REF", "refs/pull/12/merge".into()),
        ("GITHUB_SHA", "2".repeat(40)),
    ]
}

pub(crate) fn head(folder: &Path) -> String {
    git(folder, &["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn records_and_summarises_a_pull_request() {
    let folder = repository_with_small();
    let variables = pull_request(folder.path(), &head(folder.path()));
    let arguments = ["run", "--preset", "small.toml", "--output", "report.json", "--summary", "summary.md"];
    printed(&roundtrip(folder.path()).envs(variables).args(arguments).output().unwrap());
    let report = read_json(&folder.path().join("report.json"));
    assert_eq!((&report["pull_request"], &report["branch"]), (&12.into(), &"fix".into()));
    let summary = std::fs::read_to_string(folder.path().join("summary.md")).unwrap();
    assert!(summary.contains(", pull request 12\n") && summary.contains("| tcp | 64 B |"), "{summary}");
}

#[test]
fn rejects_a_job_without_the_head() {
    let folder = repository();
    let variables = pull_request(folder.path(), &"1".repeat(40));
    let arguments = ["run", "--output", "report.json"];
    let output = roundtrip(folder.path()).envs(variables).args(arguments).output().unwrap();
    refused(&output, 9, &["the head of pull request 12"]);
    assert!(output.stdout.is_empty() && !folder.path().join("report.json").exists());
}

#[test]
fn uses_the_pull_request_argument_outside_of_jobs() {
    let folder = repository_with_small();
    let arguments = ["run", "--preset", "small.toml", "--output", "report.json", "--pull-request", "7"];
    printed(&run_command(folder.path(), &arguments));
    assert_eq!(read_json(&folder.path().join("report.json"))["pull_request"], 7);
}
