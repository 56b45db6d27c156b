//! `roundtrip import`: what other tools have measured becomes a run, and nothing of it is lost.

use crate::run::repository;
use crate::server::{self, Server};
use crate::upload::{CREATED, REFUSED};
use crate::{complaint, own_spool, printed, ran, read_json, refused, roundtrip};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

const HYPERFINE: &str = r#"{"results": [{"command": "./pipe 64", "times": [0.0012, 0.0013, 0.0011]}]}"#;
const GO: &str = "goos: linux\npkg: example.org/ipc\nBenchmarkPipe/64-2 1000 1234.5 ns/op 16 B/op\nPASS\n";

fn import(folder: &Path, arguments: &[&str]) -> Output {
    fs::write(folder.join("results.json"), HYPERFINE).unwrap();
    fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    ran(folder, &[&["import", "results.json"], arguments].concat())
}

#[test]
fn a_file_is_shown_and_written_as_a_report_of_the_commit() {
    let folder = repository();
    let text = printed(&import(folder.path(), &["--output", "report.json", "--machine", "lab-1"]));
    assert!(text.contains("imported on lab-1") && text.contains("hyperfine (JSON), median time\n"), "{text}");
    let row = text.lines().find(|line| line.contains("./pipe 64")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["./pipe", "64", "1.20", "ms", "1.10", "ms", "1.30", "ms", "3", "3"]
    );
    let report = read_json(&folder.path().join("report.json"));
    assert_eq!(report["results"][0]["case"]["benchmark"], "./pipe 64");
    assert_eq!(report["results"][0]["repetitions"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&report["suite"]["preset"], &report["environment"]["stable"]),
        (&"import".into(), &serde_json::json!({}))
    );
    // Two imports are compared as two runs are.
    let compared = ran(folder.path(), &["compare", "report.json", "report.json"]);
    assert!(printed(&compared).contains("./pipe 64"));
}

#[test]
fn the_time_is_the_median_of_all_samples_as_on_the_page_of_the_run() {
    let folder = repository();
    let forks = "[[10, 20, 30], [40, 41, 42, 43, 44]]";
    let jmh = format!(
        r#"[{{"benchmark": "Pipe.trip", "mode": "ss", "threads": 1, "forks": 2, "primaryMetric": {{
            "score": 33.8, "scoreUnit": "us/op", "rawData": {forks}}}}}]"#
    );
    fs::write(folder.path().join("jmh.json"), jmh).unwrap();
    let text = printed(&ran(folder.path(), &["import", "jmh.json"]));
    // The forks' own medians are 20 and 42.
    let row = text.lines().find(|line| line.contains("Pipe.trip")).unwrap();
    assert!(row.contains(" 40 µs"), "{text}");
}

#[test]
fn standard_input_is_read_and_what_is_left_out_is_told() {
    let folder = repository();
    let mut import = roundtrip(folder.path())
        .args(["import", "-", "--format", "go"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), GO.as_bytes()).unwrap();
    let output = import.wait_with_output().unwrap();
    let text = printed(&output);
    assert!(text.contains("median time of 1,000 operations") && text.contains("1.23 ms"), "{text}");
    assert!(complaint(&output).contains("standard-input: left out"), "{}", complaint(&output));
}

#[test]
fn what_is_not_of_its_format_is_told_with_its_place() {
    let folder = repository();
    fs::write(folder.path().join("cut.json"), &HYPERFINE[..HYPERFINE.len() - 8]).unwrap();
    let cut = ran(folder.path(), &["import", "cut.json"]);
    refused(&cut, 2, &["cut.json: hyperfine: line 1, column"]);
    let excel = import(folder.path(), &["--format", "excel"]);
    refused(&excel, 2, &["[possible values: auto, bmf, criterion"]);
    refused(&ran(folder.path(), &["import", "absent.json"]), 2, &["cannot read absent.json"]);
}

#[test]
fn the_file_goes_to_the_server_with_the_run() {
    let folder = repository();
    let server = Server::answering(vec![CREATED]);
    let output = import(folder.path(), &["--upload", &server.url, "--token-file", "token"]);
    printed(&output);
    assert!(complaint(&output).contains("Uploaded: "), "{}", complaint(&output));
    let request = &server.requests()[0];
    assert!(request.head.starts_with("POST /api/v1/import "), "{}", request.head);
    sent(&request.body);
    if let Some(spool) = own_spool(folder.path()) {
        let names = fs::read_dir(spool).unwrap().map(|entry| entry.unwrap().file_name());
        let kept: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".import")).collect();
        assert!(kept.is_empty(), "what the server has is not kept: {kept:?}");
    }
}

/// The file as it was, and a report without results.
fn sent(body: &[u8]) {
    let body: Value = serde_json::from_slice(body).unwrap();
    let file = &body["file"];
    assert_eq!((&file["name"], &file["format"]), (&"results.json".into(), &"hyperfine".into()));
    assert_eq!(BASE64_STANDARD.decode(file["base64"].as_str().unwrap()).unwrap(), HYPERFINE.as_bytes());
    assert_eq!(body["report"]["results"], serde_json::json!([]));
}

#[test]
fn while_the_server_is_away_the_file_is_kept_and_can_be_sent_later() {
    let folder = repository();
    let away = format!("http://{}", server::nobody());
    let output = import(folder.path(), &["--upload", &away, "--token-file", "token"]);
    let told = refused(&output, 6, &[]);
    let (_, arguments) = told.split_once("roundtrip upload ").unwrap();
    let kept = if cfg!(windows) {
        arguments.split_once(" --upload ").unwrap().0.trim_matches('"').to_owned()
    } else {
        shell_words::split(arguments).unwrap().remove(0)
    };
    assert!(Path::new(&kept).is_file(), "{told}");

    let server = Server::answering(vec![CREATED]);
    printed(&ran(folder.path(), &["upload", &kept, "--upload", &server.url, "--token-file", "token"]));
    sent(&server.requests()[0].body);
    assert!(!Path::new(&kept).exists());
}

#[test]
fn a_refusal_of_the_server_names_the_member() {
    let folder = repository();
    let server = Server::answering(vec![REFUSED]);
    let output = import(folder.path(), &["--upload", &server.url, "--token-file", "token"]);
    refused(&output, 1, &["at /results/0/count"]);
    server.requests();
}

#[test]
#[cfg(unix)]
fn commands_of_the_settings_are_run_and_what_they_print_or_write_is_imported() {
    let folder = repository();
    fs::write(folder.path().join("go.txt"), GO).unwrap();
    fs::write(folder.path().join("made.json"), HYPERFINE).unwrap();
    fs::write(
        folder.path().join("roundtrip.toml"),
        "build = ['cp made.json results.json']\n[[command]]\nrun = 'cat go.txt'\nformat = 'go'\n\
         [[command]]\nrun = 'echo done'\nfile = 'results.json'\n",
    )
    .unwrap();
    let output = ran(folder.path(), &["run"]);
    let text = printed(&output);
    assert!(text.contains("example.org/ipc.BenchmarkPipe/64") && text.contains("./pipe 64"), "{text}");
    assert!(!text.contains("done") && complaint(&output).contains("done"), "{}", complaint(&output));

    fs::write(folder.path().join("roundtrip.toml"), "[[command]]\nrun = 'sh -c \"exit 3\"'\n").unwrap();
    let words = "ended with exit status: 3: nothing of it is imported";
    refused(&ran(folder.path(), &["run"]), 1, &[words]);
}
