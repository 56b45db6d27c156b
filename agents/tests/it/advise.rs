//! `roundtrip advise` with a test server and with a report, and the page of a report.

use crate::server::Server;
use crate::{assert_contains, printed, printed_json, refused, roundtrip, run_command};
use std::process::Output;

const ADVICE: &str = r#"{
  "sizes": {}, "by": "p50", "assumptions": ["Within a bucket every size is as frequent as any other."],
  "groups": [{
    "machine": "lab-1", "environment_id": 1, "case": {"mode": "2proc", "placement": "same-cpu"}, "oversubscribed": false,
    "answer": "pipe: 5.05 us at the median.",
    "ranking": [
      {"transport": TRANSPORT, "distinguishing": {}, "receive": "block",
       "latency_ns": {"mean": 5150.0, "p50": 5050.0, "p98": 6030.0, "p99": 6100.0}, "cpu_ns_per_message": 7000.0,
       "wakes_per_message": 2.0, "cpus": 0.07, "wakes_per_second": 20000.0, "behind_first": null,
       "below_measured_share": 0.117, "above_measured_share": 0.0, "measured": []},
      {"transport": TRANSPORT, "distinguishing": {}, "receive": "block",
       "latency_ns": {"mean": 5150.0, "p50": 5151.0, "p98": 6030.0, "p99": 6100.0}, "cpu_ns_per_message": null,
       "wakes_per_message": null, "cpus": null, "wakes_per_second": null,
       "behind_first": {"ratio": 1.02, "low": 0.97, "high": 1.08, "is_sure": false},
       "below_measured_share": 0.117, "above_measured_share": 0.0, "measured": []}
    ],
    "not_ranked": [{"transport": TRANSPORT, "distinguishing": {}, "because": "It lost messages."}],
    "crossovers": [{"below": 0, "above": 1, "x": 4096, "from": 2048, "to": null}],
    "would_change": []
  }]
}"#;

fn advice(_: &[u8]) -> String {
    let transport =
        r#"{"slug": "pipe", "title": "Pipe", "family": "pipe", "semantics": "", "control": true}"#;
    ADVICE.replace("TRANSPORT", transport)
}

fn advise(arguments: &[&str]) -> Output {
    run_command(&std::env::temp_dir(), &[&["advise"], arguments].concat())
}

#[test]
fn prints_ranking_ties_and_gaps() {
    let server = Server::answering(vec![("200 OK", "", advice)]);
    let arguments =
        ["--profile", "chromium", "--project", "libfoo", "--by", "p99", "--rate", "10000", "--server"];
    let text = printed(&advise(&[&arguments[..], &[&server.url]].concat()));
    let expected = [
        "lab-1, 2proc, same-cpu\n\npipe: 5.05 us at the median.\n",
        "0.07",
        "20,000",
        "~ 1.02 x",
        "0.97 to 1.08",
        "~ statistically tied with the first",
        "pipe is faster than pipe from 4 KiB (2 KiB to ?)",
        "11.7 % of the messages are smaller than the smallest measured size",
        "Not ranked: pipe. It lost messages.",
        "Within a bucket every size",
    ];
    assert_contains(&text, &expected);
    let asked = &server.requests()[0].head;
    let line =
        "GET /api/v1/projects/libfoo/advice?profile=chromium-ipc&by=p99&rate_per_second=10000 HTTP/1.1";
    assert!(asked.starts_with(line), "{asked}");
}

#[test]
fn names_the_project_after_the_folder_outside_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libfoo");
    std::fs::create_dir(&library).unwrap();
    let server = Server::answering(vec![("200 OK", "", advice)]);
    printed(&run_command(&library, &["advise", "--sizes", "64:1", "--server", &server.url]));
    let asked = &server.requests()[0].head;
    assert!(asked.starts_with("GET /api/v1/projects/libfoo/advice?"), "{asked}");
}

#[test]
fn explains_missing_results() {
    let server = Server::answering(vec![("200 OK", "", |_| {
        r#"{"sizes": {}, "by": "p50", "assumptions": [], "groups": []}"#.into()
    })]);
    let output = advise(&["--sizes", "64:1", "--project", "libfoo", "--server", &server.url]);
    refused(&output, 9, &["roundtrip run --preset sizes"]);
}

#[test]
fn rejects_invalid_sizes_without_a_request() {
    for (sizes, expected) in
        [("9-8:1", "ends before it begins"), ("-1:1", "is not a bucket"), ("1:0", "no bucket has a message")]
    {
        let output =
            advise(&[&format!("--sizes={sizes}"), "--project", "libfoo", "--server", "http://127.0.0.1:9"]);
        refused(&output, 2, &[expected]);
    }
    refused(&advise(&["--profile", "firefox", "--project", "libfoo"]), 2, &[]);
    // Neither `--profile` nor `--sizes`.
    refused(&advise(&["--project", "libfoo"]), 2, &[]);
}

/// Two transports and sizes, enough repetitions for an interval.
const TWO: &str = r#"about = "A socket and a ring."
deadline_seconds = 20

[[case]]
scenario = "roundtrip"
transports = ["ring-spin", "tcp"]
message_bytes = [64, 65536]
modes = ["2proc"]
placements = ["free"]
operations = 50
warmup = 5
repetitions = 6
"#;

#[test]
fn ranks_a_report_by_needs_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.toml"), TWO).unwrap();
    printed(&run_command(folder.path(), &["run", "--preset", "two.toml", "--output", "two.json"]));
    let advise = |more: &[&str]| {
        let arguments = [&["advise", "--report", "two.json", "--sizes", "64:9,65536:1"], more].concat();
        run_command(folder.path(), &arguments)
    };
    let slugs = |more: &[&str]| {
        let advice = printed_json(&advise(&[more, &["--format", "json"]].concat()));
        let ranking = advice["groups"][0]["ranking"].as_array().unwrap().clone();
        let mut slugs: Vec<String> =
            ranking.iter().map(|ranked| ranked["transport"]["slug"].as_str().unwrap().into()).collect();
        slugs.sort_unstable();
        slugs
    };
    assert_eq!(slugs(&["--need", "no-dependencies,notices-exit"]), ["ring-spin", "tcp"]);
    assert_eq!(slugs(&["--need", "to-many"]), ["ring-spin"]);
    assert_eq!(slugs(&["--waits", "blocks"]), ["tcp"]);
    let text = printed(&advise(&["--rate", "1000"]));
    assert_contains(&text, &["2proc, free", "Fastest: ", "median round trip", "wake-ups/s"]);
    // Settings for servers do not matter.
    let mut elsewhere = roundtrip(folder.path());
    elsewhere.args(["advise", "--report", "two.json", "--sizes", "64:1"]);
    elsewhere.env("ROUNDTRIP_PROJECT", "libfoo").env("ROUNDTRIP_TOKEN_FILE", "token");
    printed(&elsewhere.output().unwrap());
    refused(&advise(&["--waits", "blocks", "--need", "to-many"]), 9, &["No results to rank"]);
    refused(&advise(&["--language", "cobol"]), 2, &["unknown language `cobol` in --language", "Go, Java"]);
    refused(&advise(&["--machine", "lab-1"]), 2, &["cannot be used with"]);
    // No group of the page has the placement `free` with two processes.
    let page = ["libraries", "page", "two.json"];
    refused(&run_command(folder.path(), &page), 9, &["has no round trips of 64 B", "--preset libraries"]);
}

#[test]
fn needs_require_a_report() {
    refused(&advise(&["--sizes", "64:1", "--need", "to-many"]), 2, &["--report <FILE>"]);
}
