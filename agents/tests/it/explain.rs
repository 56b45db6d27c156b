//! `roundtrip explain`: names the system call that a commit adds, in a real program, and explains nothing without a change.

use crate::lab::Lab;
use crate::run::{commit_all, head, repository};
use crate::server::{Request, Response, StatefulServer};
use crate::{assert_contains, has_programs, printed, printed_json, refused, run_command};
use roundtrip_wire::lab::JobOutcome;
use serde_json::json;
use std::fs;
use std::path::Path;

const PROGRAM: &str = include_str!("../../../benches/external/c/unix_socket.c");
const HEADER: &str = include_str!("../../../benches/external/c/roundtrip.h");
const DEFINITION: &str = "about = ''\ndeadline_seconds = 60\n[[program]]\nslug = 'ours'\ntitle = ''\nfamily = 'socket'\n\
    semantics = ''\ncommand = ['./ipc']\n[[case]]\nscenario = 'roundtrip'\ntransports = ['ours']\nmessage_bytes = [64]\n\
    modes = ['2proc']\nplacements = ['same-cpu']\noperations = 200\nwarmup = 20\nrepetitions = 1\n";
/// Twenty calls before each send, and two sends in a round trip.
const MORE_CALLS: &str = "#include <sys/stat.h>\nstatic void more_calls(void) {\n    struct stat found;\n    \
    for (int call = 0; call < 20; call++) stat(\"/\", &found);\n}\n";

fn write(folder: &Path, file: &str, text: &str) {
    fs::write(folder.join(file), text).unwrap();
}

/// Writes two commits, of which the second makes more calls, and returns them.
fn write_history(root: &Path, more_settings: &str) -> [String; 2] {
    write(root, "ours.toml", DEFINITION);
    let settings = "presets = ['ours.toml']\nbuild = ['cc -O2 -o ipc unix_socket.c']\n";
    write(root, "roundtrip.toml", &format!("{settings}{more_settings}"));
    write(root, ".gitignore", "ipc\n");
    write(root, "roundtrip.h", HEADER);
    write(root, "unix_socket.c", PROGRAM);
    commit_all(root, "Add a program");
    let base = head(root);
    let (before, after) = PROGRAM.split_once("static int send_all").unwrap();
    let (signature, body) = after.split_once("{\n").unwrap();
    write(
        root,
        "unix_socket.c",
        &format!("{before}{MORE_CALLS}static int send_all{signature}{{\n    more_calls();\n{body}"),
    );
    commit_all(root, "Look at the root before each send");
    [base, head(root)]
}

/// A regression between two commits in the case of [`DEFINITION`].
fn answer_with_regression(request: &Request, [after, until]: &mut [String; 2]) -> Response {
    let place = |sha: &str| json!({ "sha": sha, "ordinal": 1 });
    let answer = match request.path() {
        "/api/v1/projects/courier/regressions/12" => json!({
            "regression": {
                "after_commit": place(after), "until_commit": place(until), "culprit_commit": null,
            },
            "change_points": [
                { "series_id": 1, "before_level": 100.0, "after_level": 103.0 },
                { "series_id": 2, "before_level": 100.0, "after_level": 150.0 },
            ],
        }),
        "/api/v1/series/2" => json!({
            "transport": { "slug": "ours", "title": "", "family": "socket", "semantics": "", "control": false },
            "case": {
                "scenario": "roundtrip", "message_bytes": 64, "peers": 1, "mode": "2proc", "placement": "same-cpu",
            },
            "methodology": {
                "protocol_version": 1, "send": "blocking", "receive": "block", "on_full": "wait", "window": 1, "batch": 1,
                "clock": "clock-monotonic", "warmup": 20, "payload": "", "storage": "touched",
            },
        }),
        path => return ("404 Not Found", format!("{{\"detail\": \"no {path}\"}}").into_bytes()),
    };
    ("200 OK", answer.to_string().into_bytes())
}

#[test]
fn names_the_call_that_a_regression_adds() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    let commits = write_history(folder, "");
    let server = StatefulServer::<[String; 2]>::start(answer_with_regression);
    server.change(|state| *state = commits);
    let page = format!("http://{}/courier/regressions/12", server.address);
    let answer = printed_json(&run_command(folder, &["explain", &page, "--format", "json"]));
    let case = &answer["cases"][0];
    assert_eq!(case["verdict"], "regressed", "{answer}");
    let notes = case["notes"].to_string();
    if notes.contains("No system calls") {
        return println!("not tested: {notes}");
    }
    let finding = &case["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["function"]),
        (&"extra-call".into(), &serde_json::Value::Null),
        "{answer}"
    );
    let text = finding["text"].as_str().unwrap();
    assert!(text.starts_with("+40.0") && text.ends_with("` per round trip"), "{text}");
    // How much depends on the other programs of the machine.
    assert!(finding["explains_ns"].as_f64() > Some(0.0), "{answer}");

    write(folder, "note", "Not part of the program.");
    commit_all(folder, "Add a note");
    let same = printed(&run_command(folder, &["explain", "HEAD~1", "HEAD"]));
    assert_contains(&same, &["No case changed, so there is nothing to explain."]);
    refused(&run_command(folder, &["explain", "HEAD", "HEAD", "64 KiB"]), 2, &["no case matches `64 KiB`"]);
    refused(&run_command(folder, &["explain", "HEAD"]), 2, &["HEAD: expected a second side"]);
    refused(&run_command(folder, &["explain", &page, "HEAD"]), 2, &["HEAD: unexpected after the address"]);
}

#[test]
fn paired_job_explains_a_regressed_case() {
    if !has_programs() {
        return;
    }
    let lab = Lab::new("true", 1);
    let [base, head] = write_history(lab.source.path(), "function_names = 'withheld'\n");
    let mut job = lab.job(3, 1);
    job["base_sha"] = base.as_str().into();
    lab.give(job);
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Done, "{}", finish.output);
    let result = |sha: &str| {
        lab.server.change(|state| {
            let run = state.runs.iter().find(|run| run.commit.sha.as_str() == sha).unwrap();
            run.results[0].clone()
        })
    };
    assert_eq!((result(&base).explanation, result(&base).profile), (None, None));
    let result = result(&head);
    let explanation = result.explanation.unwrap();
    assert_eq!(explanation.has_profile, result.profile.is_some(), "{explanation:?}");
    if let Some(profile) = result.profile {
        assert!(profile.base_messages > 0 && profile.head_messages > 0, "{profile:?}");
        assert!(!profile.functions.is_empty());
        let is_withheld = |name: &String| name.starts_with("function ") || name.ends_with("_[k]");
        assert!(profile.functions.iter().all(is_withheld), "{:?}", profile.functions);
    }
    assert_eq!(explanation.base_sha.as_str(), base);
    assert!(explanation.change_ns > 0, "{explanation:?}");
    if explanation.notes.iter().any(|note| note.contains("No system calls")) {
        return println!("not tested: {explanation:?}");
    }
    let finding = &explanation.findings[0];
    assert_eq!(finding.rule.as_str(), "extra-call", "{explanation:?}");
    assert!(finding.explains_ns > Some(0), "{explanation:?}");
}
