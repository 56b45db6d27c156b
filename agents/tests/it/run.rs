//! `roundtrip run`: errors before measuring, and no processes left behind.

#[cfg(unix)]
use crate::assert_contains;
use crate::server::{Answer, Server, unused_address, wait_until};
use crate::upload::{CREATED, UNAUTHENTICATED};
use crate::{
    definition, definition_of_programs, has_programs, printed, printed_json, program, read_json, refused,
    roundtrip, run_command, words,
};
use roundtrip_bench::harness::PeerCommand;
use serde_json::Value;
#[cfg(unix)]
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
fn rejects_an_upload_without_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let upload = ["run", "--upload", "http://127.0.0.1:1", "--token-file", "token"];
    let words = ["Not a Git repository", "Run this in the checkout you want to measure"];
    refused(&run_command(folder.path(), &upload), 1, &words);
    git(folder.path(), &["init", "-q"]);
    refused(
        &run_command(folder.path(), &upload),
        1,
        &["This repository has no commit", "Commit your changes first"],
    );
}

#[test]
fn measures_without_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.toml"), definition("tcp", 1)).unwrap();
    let measure = || {
        let arguments =
            ["run", "--preset", "small.toml", "--output", "report.json", "--summary", "summary.md"];
        let text = printed(&run_command(folder.path(), &arguments));
        assert!(text.lines().next().unwrap().contains(" without a commit on "), "{text}");
    };
    measure();
    git(folder.path(), &["init", "-q"]);
    measure();
    let summary = std::fs::read_to_string(folder.path().join("summary.md")).unwrap();
    assert!(summary.contains(" without a commit\n"), "{summary}");
    printed(&run_command(folder.path(), &["compare", "report.json", "report.json"]));
    let upload = ["upload", "report.json", "--token-file", "token"];
    refused(
        &run_command(folder.path(), &upload),
        1,
        &["report.json/commit/sha: the results belong to no commit"],
    );
}

#[test]
fn reports_a_repository_that_git_refuses() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".git"), "gitdir: nowhere").unwrap();
    refused(&run_command(folder.path(), &["run"]), 1, &["nowhere"]);
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
    let arguments = ["run", "-q", "--preset", "small.toml", "-o", "report.json", "--pull-request", "7"];
    printed(&run_command(folder.path(), &arguments));
    assert_eq!(read_json(&folder.path().join("report.json"))["pull_request"], 7);
}

/// A definition of round trips over these transports at two sizes.
fn repository_with_sizes(transports: &str) -> tempfile::TempDir {
    let folder = repository();
    let sizes = definition(transports, 1).replace("[64]", "[64, 1024]");
    std::fs::write(folder.path().join("small.toml"), sizes).unwrap();
    folder
}

#[test]
fn measures_only_selected_cases() {
    let folder = repository_with_sizes("tcp', 'unix-stream");
    let cases = |arguments: &[&str]| {
        let run = ["run", "--preset", "small.toml", "--format", "json"];
        let report = printed_json(&run_command(folder.path(), &[&run, arguments].concat()));
        let case = |result: &Value| {
            format!("{} {}", result["transport"]["slug"].as_str().unwrap(), result["case"]["message_bytes"])
        };
        report["results"].as_array().unwrap().iter().map(case).collect::<Vec<_>>()
    };
    assert_eq!(cases(&["tcp"]), ["tcp 64", "tcp 1024"]);
    assert_eq!(cases(&["--size", "1KiB"]), ["tcp 1024", "unix-stream 1024"]);
    assert_eq!(cases(&["tcp", "--size", "64,1KiB"]), ["tcp 64", "tcp 1024"]);
    let others =
        ["unix-stream", "--placement", "free", "--mode", "2proc", "--scenario", "roundtrip", "--size", "64"];
    assert_eq!(cases(&others), ["unix-stream 64"]);
}

#[test]
fn explains_an_empty_selection() {
    let folder = repository_with_sizes("tcp");
    let run = |arguments: &[&str], expected: &str| {
        let run = ["run", "--preset", "small.toml"];
        refused(&run_command(folder.path(), &[&run, arguments].concat()), 2, &[expected]);
    };
    run(&["unix-straem"], "unknown transport `unix-straem`: did you mean `unix-stream`?");
    run(&["tpc"], "did you mean `tcp`?");
    run(&["zebra"], "unknown transport `zebra`: preset small has tcp");
    run(
        &["tcp", "pipe"],
        "transport pipe matches no case of preset small: expected tcp, or another preset, such as --preset quick",
    );
    run(&["--size", "65"], "--size 65 matches no case of preset small: expected 64, 1KiB");
    run(&["--size", "1k"], "expected a number of bytes");
    run(&["--mode", "2thread"], "--mode 2thread matches no case of preset small: expected 2proc");
    let two = definition("tcp", 1) + definition("pipe", 1).split_once("deadline_seconds = 20\n").unwrap().1;
    std::fs::write(folder.path().join("small.toml"), two.replacen("[64]", "[128]", 1)).unwrap();
    run(&["tcp", "--size", "64"], "no case of preset small matches all of: transport tcp, --size 64");
}

/// A repository with a definition of one program, started with this command.
fn repository_with_program(command: &str) -> tempfile::TempDir {
    let folder = repository();
    let text = definition_of_programs(&["courier"], command);
    std::fs::write(folder.path().join("courier.toml"), text).unwrap();
    folder
}

#[test]
fn rejects_a_missing_program_before_measuring() {
    if !has_programs() {
        return;
    }
    let folder = repository_with_program("['./bin/courier', '--fast']");
    let run = || run_command(folder.path(), &["run", "--preset", "courier.toml", "--output", "report.json"]);
    let expected = [
        "error: cannot start `./bin/courier` (program courier in courier.toml:8): no such file. Build it first",
    ];
    refused(&run(), 2, &expected);
    assert!(!folder.path().join("report.json").exists());
    let settings = format!("build = ['{} list']", words());
    std::fs::write(folder.path().join("roundtrip.toml"), settings).unwrap();
    refused(&run(), 2, &["The commands in `build` of roundtrip.toml did not create it."]);
    let folder = repository_with_program("['no-such-courier']");
    let run = run_command(folder.path(), &["run", "--preset", "courier.toml"]);
    refused(&run, 2, &["cannot start `no-such-courier`"]);
}

#[test]
fn failed_case_names_its_program_and_fails_the_run() {
    if !has_programs() {
        return;
    }
    let PeerCommand { program, arguments } = program();
    let command: Vec<String> =
        [vec![program.display().to_string()], arguments, vec!["no-verb".into()]].concat();
    let folder = repository_with_program(&serde_json::to_string(&command).unwrap());
    let output = run_command(folder.path(), &["run", "--preset", "courier.toml", "--output", "report.json"]);
    refused(&output, 1, &["error: 1 case failed; see above"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with(" courier 64 KiB: failed: ")).unwrap();
    assert!(line.ends_with(&format!(" ({}, courier.toml:8)", program.display())), "{line}");
    assert!(text.ends_with("Failed: 1 of 1 cases (courier 64 KiB)\n"), "{text}");
    assert!(folder.path().join("report.json").exists(), "the other results are kept");
}

#[test]
fn text_ends_with_the_fastest_and_fits_a_terminal() {
    let folder = repository_with_sizes("tcp', 'unix-stream', 'udp");
    let text = printed(&run_command(folder.path(), &["run", "--preset", "small.toml"]));
    // Long lines are wrapped.
    let (_, summary) = text.rsplit_once("\n\n").unwrap();
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(summary.starts_with("Fastest: "), "{text}");
    let parts =
        [" of 2 groups; 64 B, roundtrip, 2proc, free: p50 ", " Tied there: unknown (needs ", "; slowest: "];
    assert!(parts.iter().all(|part| summary.contains(part)), "{text}");
    assert!(["Disturbed: ", "Noisy: "].iter().any(|part| summary.contains(part)), "{text}");
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(long, Vec::<&str>::new());
}

const SESSION: Answer = ("200 OK", "content-type: application/json\r\n", |_| {
    r#"{"scopes": ["ingest:write"], "project": null}"#.into()
});
const OTHER_PROJECT: Answer = ("200 OK", "content-type: application/json\r\n", |_| {
    r#"{"scopes": ["ingest:write"], "project": "other"}"#.into()
});
const READ_ONLY: Answer =
    ("200 OK", "content-type: application/json\r\n", |_| r#"{"scopes": ["read"], "project": null}"#.into());

/// Runs a small case with an upload to this address.
fn run_with_upload(folder: &Path, url: &str) -> Output {
    std::fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    let run = [
        "run",
        "--preset",
        "small.toml",
        "--output",
        "report.json",
        "--token-file",
        "token",
        "--upload",
        url,
    ];
    run_command(folder, &run)
}

#[test]
fn checks_server_and_token_before_measuring() {
    let folder = repository_with_small();
    for (answer, code, expected) in [
        (UNAUTHENTICATED, 5, "the token is not known"),
        (OTHER_PROJECT, 5, "the token is for the project other, expected "),
        (READ_ONLY, 5, "expected the permission ingest:write"),
        (("404 Not Found", "", |_| String::new()), 1, "Is it a Roundtrip server?"),
    ] {
        let server = Server::answering(vec![answer]);
        refused(&run_with_upload(folder.path(), &server.url), code, &[expected]);
        assert!(server.requests()[0].head.starts_with("GET /api/v1/session "), "{expected}");
        assert!(!folder.path().join("report.json").exists(), "it is not measured: {expected}");
    }
    refused(&run_with_upload(folder.path(), "localhost:7979"), 2, &["invalid server URL"]);
    let server = Server::answering(vec![SESSION, CREATED]);
    printed(&run_with_upload(folder.path(), &server.url));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn measures_while_the_server_is_away() {
    let folder = repository_with_small();
    let output = run_with_upload(folder.path(), &format!("http://{}", unused_address()));
    refused(&output, 6, &["warning: no response from", "Measuring anyway.", "The report was saved: "]);
    assert!(folder.path().join("report.json").exists());
}

#[test]
fn shows_a_report_as_it_was_printed() {
    let folder = repository_with_small();
    let text = printed(&run_command(folder.path(), &["run", "--preset", "small.toml", "-o", "report.json"]));
    assert_eq!(printed(&run_command(folder.path(), &["show", "report.json"])), text);
    let shown = printed_json(&run_command(folder.path(), &["show", "report.json", "--format", "json"]));
    assert_eq!(shown, read_json(&folder.path().join("report.json")));
    refused(&run_command(folder.path(), &["show", "small.toml"]), 2, &["small.toml is not a report"]);
}

/// The output and the report of a run, with the origin of its program.
#[cfg(unix)]
fn run_with_origin(folder: &Path) -> (String, Value, String) {
    let text = printed(&run_command(folder, &["run", "--output", "report.json"]));
    let report = read_json(&folder.join("report.json"));
    let origin = report["programs"][0]["origin"].as_str().unwrap().to_owned();
    (text, report, origin)
}

#[cfg(unix)]
#[test]
fn marks_programs_that_may_not_come_from_the_commit() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(".gitignore", "built\nreport.json\n");
    write("source", &format!("exec {} peer framing advanced\n", words()));
    std::fs::copy(folder.join("source"), folder.join("built")).unwrap();
    write("ours.toml", &definition_of_programs(&["ours"], "['sh', 'built']"));
    write("roundtrip.toml", "presets = ['ours.toml']");
    commit_all(folder, "without a build");
    let (text, report, origin) = run_with_origin(folder);
    assert_contains(&text, &[", unbuilt: measured as found on ", "Trends exclude this run: ours may not"]);
    assert_eq!((origin.as_str(), &report["work_tree_modified"]), ("found", &true.into()));
    let digest = hex::encode(Sha256::digest(std::fs::read(folder.join("built")).unwrap()));
    assert_eq!(report["programs"][0]["files"]["built"], digest.as_str());

    write("roundtrip.toml", "presets = ['ours.toml']\nbuild = ['cp source built']");
    commit_all(folder, "with a build");
    let (text, report, origin) = run_with_origin(folder);
    assert!(!text.contains("unbuilt"), "{text}");
    assert_eq!((origin.as_str(), &report["work_tree_modified"]), ("commit", &false.into()));

    write("roundtrip.toml", "presets = ['ours.toml']\nbuild = ['cp source built'] # modified");
    let (text, report, origin) = run_with_origin(folder);
    assert_contains(&text, &["unbuilt: measured as found"]);
    assert_eq!((origin.as_str(), &report["work_tree_modified"]), ("found", &true.into()));

    write("roundtrip.toml", "presets = ['ours.toml']");
    write("ours.toml", &definition_of_programs(&["ours"], "['sh', 'source']"));
    commit_all(folder, "a tracked script");
    assert_eq!(run_with_origin(folder).2, "commit");
}

#[cfg(unix)]
#[test]
fn program_from_uncommitted_files_is_not_of_the_commit() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("roundtrip.toml", "presets = ['bench/ours.toml']\nbuild = ['cp bench/source bench/built']");
    write(".gitignore", "built\nreport.json\n");
    commit_all(folder, "settings");
    std::fs::create_dir(folder.join("bench")).unwrap();
    write("bench/source", &format!("exec {} peer framing advanced\n", words()));
    write("bench/ours.toml", &definition_of_programs(&["ours"], "['sh', 'built']"));
    let (text, _, origin) = run_with_origin(folder);
    assert_eq!(origin, "found");
    assert_contains(&text.replace('\n', " "), &["Commit all changes and new files"]);
    git(folder, &["add", "bench/ours.toml"]);
    git(folder, &["commit", "-q", "-m", "definition"]);
    assert_eq!(run_with_origin(folder).2, "found", "the source is untracked");
    commit_all(folder, "source");
    assert_eq!(run_with_origin(folder).2, "commit");
}
