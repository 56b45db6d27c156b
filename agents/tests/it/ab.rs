//! `roundtrip ab`: alternates two sides, with a verdict for each case. The two commands are wire formats of
//! the suite; JSON is slower for large messages.

use crate::run::repository;
use crate::{
    assert_contains, definition_of_programs, has_programs, printed, read_json, refused, run_command, words,
};
use std::path::Path;
use std::process::Output;

fn definition(names: &[&str]) -> String {
    definition_of_programs(names, "['not-this-one']")
}

fn format(name: &str) -> String {
    format!("{} peer framing {name}", words())
}

fn ab(folder: &Path, base: &str, head: &str, further: &[&str]) -> Output {
    std::fs::write(folder.join("ours.toml"), definition(&["ours"])).unwrap();
    let arguments = ["ab", "--preset", "ours.toml", "--base", base, "--head", head];
    run_command(folder, &[&arguments[..], further].concat())
}

#[test]
fn finds_a_slower_head_and_fails_on_request() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    let arguments = ["--seed", "7", "--format", "json", "--output", "both.json", "--fail-on", "regressed"];
    let output = ab(folder, &format("advanced"), &format("json"), &arguments);
    refused(&output, 3, &["regressed: roundtrip, 2proc, free: ours 64 KiB"]);

    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["detectable"].is_null(), "no case is unchanged: {answer}");
    let case = &answer["cases"][0];
    assert_eq!((&answer["order_seed"], &case["verdict"]), (&7.into(), &"regressed".into()));
    let number = |name: &str| case[name].as_f64().unwrap();
    assert!(number("change") > 0.0 && number("p_adjusted") <= 0.01 && number("t") < 0.0, "{case}");
    assert!(case["change_interval"][0].as_f64() > Some(0.0) && case["stars"] == "***", "{case}");

    // One report has both sides, as variants.
    let report = read_json(&folder.join("both.json"));
    let variants: Vec<&str> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["case"]["variant"].as_str().unwrap())
        .collect();
    assert_eq!((variants, &report["suite"]["order_seed"]), (vec!["base", "head"], &7.into()));
}

#[test]
fn reports_a_failed_side_without_a_verdict() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let output = ab(folder.path(), &format("advanced"), "./absent --fast", &[]);
    refused(&output, 9, &[]);
    let expected =
        ["ours 64 KiB: not compared", "head: failed: cannot start ours: ", "1 case: 1 not comparable"];
    assert_contains(&String::from_utf8_lossy(&output.stdout), &expected);
}

#[test]
fn cases_without_time_are_inconclusive() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    let (base, head) = (format("advanced"), format("json"));
    let text = printed(&ab(folder, &base, &head, &["--budget", "1ms"]));
    let reason = "ours 64 KiB: inconclusive, time budget used: has 0 pairs; needs about 8 more pairs";
    assert_contains(&text, &[reason, "1 case: 1 inconclusive"]);
    let further = ["--budget", "1ms", "--fail-on", "inconclusive"];
    refused(&ab(folder, &base, &head, &further), 4, &["inconclusive: roundtrip, 2proc, free: ours 64 KiB"]);
    // A report has no case without a repetition.
    let further = ["--budget", "1ms", "--output", "nothing.json"];
    let output = ab(folder, &base, &head, &further);
    assert!(String::from_utf8_lossy(&output.stderr).contains("No report: the time budget"), "{output:?}");
    assert!(output.status.success() && !folder.join("nothing.json").exists());
    // A budget that is not needed changes nothing.
    let further = ["--budget", "1h", "--fail-on", "regressed"];
    refused(&ab(folder, &base, &head, &further), 3, &["regressed: "]);
}

#[test]
fn rejects_invalid_sides_before_measuring() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("two.toml"), definition(&["ours", "theirs"])).unwrap();
    for (arguments, expected) in [
        (&["--base", "", "--head", "x"][..], "--base or --head is empty"),
        (&["--base", "'x", "--head", "x"], "invalid command `'x`"),
        (&["--base", "x", "--head", "x", "--preset", "two.toml"], "several programs (ours, theirs)"),
        (&["--base", "x", "--head", "x", "--preset", "quick"], "preset quick has no [[program]]"),
        (&["--of", "node", "--base", "./absent", "--head", "node"], "--base "),
        (&["--of", "report", "--base", "x", "--head", "x", "--budget", "1s"], "does not accept --budget"),
        (&["--of", "node", "--base", env!("CARGO_BIN_EXE_roundtrip"), "--head", "x"], "not a `node`"),
    ] {
        refused(&run_command(folder, &[&["ab"], arguments].concat()), 2, &[expected]);
    }
}
