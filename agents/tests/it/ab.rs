//! `roundtrip ab`: two sides in turn, a verdict for each case. The two commands are the wire formats that come with the
//! suite, of which JSON is the slower one for large messages.

use crate::run::repository;
use crate::{complaint, roundtrip, words};
use std::path::Path;
use std::process::Output;

const PROGRAM: &str = "[[program]]\nslug = 'ours'\ntitle = 'Ours'\nfamily = 'runtime'\nsemantics = ''\n\
                       command = ['not-this-one']\n";

fn definition(head: &str) -> String {
    format!(
        "about = ''\ndeadline_seconds = 60\n{head}[[case]]\nscenario = 'roundtrip'\ntransports = ['ours']\n\
         message_bytes = [65536]\nmodes = ['2proc']\nplacements = ['free']\noperations = 30\nwarmup = 5\n\
         repetitions = 1\n"
    )
}

fn format(name: &str) -> String {
    format!("{} peer framing {name}", words())
}

fn ab(folder: &Path, base: &str, head: &str, further: &[&str]) -> Output {
    std::fs::write(folder.join("ours.toml"), definition(PROGRAM)).unwrap();
    let arguments = ["ab", "--preset", "ours.toml", "--base", base, "--head", head];
    roundtrip(folder).args(arguments).args(further).output().unwrap()
}

/// Whether this system has the channel that the two commands talk over.
fn is_here() -> bool {
    let reason = roundtrip_bench::sys::fork_channel::support().err();
    reason.iter().for_each(|reason| println!("not run, because {reason}"));
    reason.is_none()
}

#[test]
fn a_slower_head_is_found_and_is_a_failure_when_it_is_asked_to_be() {
    if !is_here() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    let arguments = ["--seed", "7", "--format", "json", "--output", "both.json", "--fail-on", "regressed"];
    let output = ab(folder, &format("advanced"), &format("json"), &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", complaint(&output));
    assert!(
        complaint(&output).contains("regressed: roundtrip, 2proc, free: ours 64 KiB"),
        "{}",
        complaint(&output)
    );

    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let case = &answer["cases"][0];
    assert_eq!((&answer["order_seed"], &case["verdict"]), (&7.into(), &"regressed".into()));
    let number = |name: &str| case[name].as_f64().unwrap();
    assert!(number("change") > 0.0 && number("p_adjusted") <= 0.01 && number("t") < 0.0, "{case}");
    assert!(case["change_interval"][0].as_f64() > Some(0.0) && case["stars"] == "***", "{case}");

    // Both sides are in one report, told apart.
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("both.json")).unwrap()).unwrap();
    let variants: Vec<&str> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["case"]["variant"].as_str().unwrap())
        .collect();
    assert_eq!((variants, &report["suite"]["order_seed"]), (vec!["base", "head"], &7.into()));
}

#[test]
fn a_side_that_fails_is_told_with_its_reason_and_nothing_is_said_of_the_case() {
    if !is_here() {
        return;
    }
    let folder = repository();
    let output = ab(folder.path(), &format("advanced"), "./absent --fast", &[]);
    assert_eq!(output.status.code(), Some(9), "{}", complaint(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for expected in
        ["ours 64 KiB: not compared", "head: failed: ours: starting it: ", "Of 1 case: 1 not comparable"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn sides_that_cannot_be_are_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let two = format!("{PROGRAM}{}", PROGRAM.replace("'ours'", "'theirs'"));
    let both = definition(&two).replace("['ours']", "['ours', 'theirs']");
    std::fs::write(folder.join("two.toml"), both).unwrap();
    for (arguments, expected) in [
        (&["--base", "", "--head", "x"][..], "a command is empty"),
        (&["--base", "'x", "--head", "x"], "the command `'x`"),
        (&["--base", "x", "--head", "x", "--preset", "two.toml"], "several programs, ours, theirs"),
        (&["--base", "x", "--head", "x", "--preset", "quick"], "quick has no program of its own"),
        (&["--of", "node", "--base", "./absent", "--head", "node"], "--base "),
        (&["--of", "node", "--base", env!("CARGO_BIN_EXE_roundtrip"), "--head", "x"], "as node does"),
    ] {
        let output = roundtrip(folder).arg("ab").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(expected), "{expected}: {}", complaint(&output));
    }
}
