//! `roundtrip ab --of revision` in a repository that has only commands of other benchmark tools.

use crate::run::{commit_all, repository};
use crate::{assert_contains, printed, printed_json, refused, run_command};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// A repository whose commits print these lines.
fn history(commits: &[&str], settings: &str) -> TempDir {
    let folder = repository();
    let path = folder.path();
    fs::write(path.join("roundtrip.toml"), settings).unwrap();
    for (number, script) in commits.iter().enumerate() {
        fs::write(path.join("bench.sh"), script).unwrap();
        commit_all(path, &format!("number {number}"));
    }
    folder
}

const SETTINGS: &str = "build = ['touch built']\n[[command]]\nrun = 'sh bench.sh'\n";

/// Prints results of Go's benchmarks with these names and times.
fn go(results: &[(&str, u32)]) -> String {
    let line = |(name, ns): &(&str, u32)| format!("echo 'Benchmark{name}-2 1000 {ns} ns/op'\n");
    let lines: String = results.iter().map(line).collect();
    format!("[ -e built ] || exit 1\necho 'pkg: example.org/ipc'\n{lines}")
}

fn ab(folder: &Path, further: &[&str]) -> Output {
    let arguments = ["ab", "--of", "revision", "--base", "HEAD~1", "--head", "HEAD", "--seed", "7"];
    run_command(folder, &[&arguments[..], further].concat())
}

fn case<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let cases = answer["cases"].as_array().unwrap();
    cases.iter().find(|case| case["case"].as_str().unwrap().contains(name)).unwrap()
}

#[test]
fn compares_single_figures_in_rounds() {
    let base = go(&[("Pipe/64", 1000), ("Pipe/4096", 2000), ("Old", 10)]);
    let head = go(&[("Pipe/64", 1500), ("Pipe/4096", 2000), ("New", 10)]);
    let folder = history(&[&base, &head], SETTINGS);
    let folder = folder.path();
    let answer = printed_json(&ab(folder, &["--format", "json"]));
    let slower = case(&answer, "Pipe/64");
    assert_eq!(slower["verdict"], "regressed", "{answer}");
    assert!((slower["change"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{slower}");
    assert!(slower["base"]["repetitions"].as_u64() >= Some(7), "{slower}");
    assert_eq!(case(&answer, "Pipe/4096")["verdict"], "no change", "{answer}");
    for (name, reason) in [("Old", "not in the head"), ("New", "not in the base")] {
        let one = case(&answer, name);
        assert_eq!(
            (&one["verdict"], &one["reasons"][0]),
            (&"not comparable".into(), &reason.into()),
            "{one}"
        );
    }
    let output = ab(folder, &["--fail-on", "regressed", "--summary", "summary.md"]);
    refused(&output, 3, &["regressed: ", "Pipe/64", "Round 1: 0 of 2 cases decided"]);
    let summary = fs::read_to_string(folder.join("summary.md")).unwrap();
    assert!(summary.starts_with("### 1 of 4 cases regressed, 2 not comparable"), "{summary}");
}

#[test]
fn compares_the_file_that_each_run_writes() {
    let hyperfine = |seconds: &str, times: usize| {
        let times = vec![seconds; times].join(", ");
        format!(
            "[ ! -e out.json ] || exit 1\necho '{{\"results\": [{{\"command\": \"./pipe\", \"times\": [{times}]}}]}}' > out.json\n"
        )
    };
    let settings = format!("{SETTINGS}file = 'out.json'\n");
    let folder = history(&[&hyperfine("0.002", 3), &hyperfine("0.001", 5)], &settings);
    let answer = printed_json(&ab(folder.path(), &["--format", "json"]));
    let case = case(&answer, "./pipe");
    assert_eq!(case["verdict"], "improved", "{answer}");
    assert!((case["change"].as_f64().unwrap() + 0.5).abs() < 1e-3, "{case}");
}

#[test]
fn names_a_command_that_fails() {
    let folder = history(&["exit 3", &go(&[("Pipe", 1)])], SETTINGS);
    let expected = ["base (commit ", "`sh bench.sh` failed (exit status: 3)"];
    refused(&ab(folder.path(), &[]), 1, &expected);
    refused(&ab(folder.path(), &["--output", "report.json"]), 2, &["--output and --upload do not accept"]);
}

#[test]
fn budget_ends_rounds() {
    let folder = history(&[&go(&[("Pipe", 1000)]), &go(&[("Pipe", 1500)])], SETTINGS);
    let text = printed(&ab(folder.path(), &["--budget", "1ms"]));
    assert_contains(&text, &["1 case: 1 inconclusive", "time budget used: has 1 pair"]);
}
