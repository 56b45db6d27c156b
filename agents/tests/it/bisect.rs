//! `roundtrip bisect`: finds the commit that made a case slower, in a real repository with real builds.

use crate::builds::HANG;
use crate::run::{commit_all, git, repository};
use crate::server::wait_until;
use crate::{
    Process, assert_contains, definition_of_programs, error_text, has_programs, printed, printed_json,
    refused, reports_opened_files, roundtrip, run_command, words,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use tempfile::TempDir;

const FAST: &str = "advanced";
const SLOW: &str = "json";
/// A commit without the source, whose build fails.
const BROKEN: &str = "broken";
/// Fast, but its second start fails.
const FLAKY: &str = "flaky";

/// A repository whose commits have programs with these wire formats of the suite.
fn history(formats: &[&str]) -> TempDir {
    let folder = repository();
    add_definition(folder.path());
    formats.iter().for_each(|format| commit(folder.path(), format));
    folder
}

fn add_definition(folder: &Path) {
    fs::create_dir(folder.join("bench")).unwrap();
    let definition = definition_of_programs(&["ours"], "['sh', 'built/ours']");
    fs::write(folder.join("bench/ours.toml"), definition).unwrap();
    settings(folder, "'mkdir -p bench/built', 'cp bench/source bench/built/ours'");
    fs::write(folder.join(".gitignore"), "built").unwrap();
}

fn settings(folder: &Path, build: &str) {
    let text = format!("presets = ['bench/ours.toml']\nbuild = [{build}]");
    fs::write(folder.join("roundtrip.toml"), text).unwrap();
}

fn commit(folder: &Path, format: &str) {
    let source = folder.join("bench/source");
    match format {
        BROKEN => fs::remove_file(source).unwrap(),
        FLAKY => fs::write(
            source,
            format!(
                "if [ -e started ] && [ ! -e failed ]; then touch failed; exit 1; fi\ntouch started\nexec {} peer framing {FAST}\n",
                words()
            ),
        )
        .unwrap(),
        _ => fs::write(source, format!("exec {} peer framing {format}\n", words())).unwrap(),
    }
    commit_all(folder, format);
}

fn bisect(folder: &Path, further: &[&str]) -> Output {
    run_command(folder, &[&["bisect"], further].concat())
}

fn sha(folder: &Path, revision: &str) -> String {
    git(folder, &["rev-parse", revision]).trim().to_owned()
}

fn has_no_worktree(folder: &Path) {
    let listed = git(folder, &["worktree", "list", "--porcelain"]);
    assert_eq!(listed.matches("worktree ").count(), 1, "{listed}");
}

#[test]
fn finds_the_culprit_and_skips_a_commit_that_does_not_build() {
    if !has_programs() {
        return;
    }
    let folder = history(&[FAST, FAST, BROKEN, FAST, SLOW, SLOW]);
    let folder = folder.path();
    fs::write(folder.join("bench/source"), "exit 1").unwrap();
    let output = bisect(folder, &["--good", "HEAD~5", "--format", "json"]);
    let answer = printed_json(&output);
    assert_contains(&error_text(&output), &["Uncommitted changes are not measured"]);
    assert_eq!(answer["outcome"], "found", "{answer}");
    let culprit = &answer["culprit"];
    assert_eq!(culprit["commits"][0]["sha"], sha(folder, "HEAD~1").as_str());
    assert_eq!(culprit["commits"][0]["subject"], SLOW);
    assert!(culprit["probability"].as_f64() > Some(0.95), "{culprit}");
    assert_eq!(culprit["comparison"]["verdict"], "regressed");
    // Good, bad, and at most one build of each commit between them.
    assert!(answer["builds"].as_u64() <= Some(6), "{answer}");
    let skipped = answer["commits"][1]["skipped"].as_str().unwrap();
    assert_contains(skipped, &["`cp bench/source bench/built/ours` failed"]);
    let probabilities = answer["commits"].as_array().unwrap().iter();
    let all: f64 = probabilities.map(|commit| commit["probability"].as_f64().unwrap()).sum();
    assert!((all - 1.0).abs() < 1e-9, "{all}");
    has_no_worktree(folder);
}

#[test]
fn commits_with_identical_programs_are_not_measured() {
    if !has_programs() || !reports_opened_files() {
        return;
    }
    let folder = history(&[FAST, FAST, FAST, SLOW, SLOW]);
    let folder = folder.path();
    let answer = printed_json(&bisect(folder, &["--good", "HEAD~4", "--format", "json"]));
    assert_eq!(answer["culprit"]["commits"][0]["sha"], sha(folder, "HEAD~1").as_str(), "{answer}");
    let commits = answer["commits"].as_array().unwrap();
    // All but the last run the program of one of the ends.
    assert!(commits[..3].iter().all(|commit| commit["pairs"] == 0), "{answer}");
    assert_eq!(commits[1]["identical_to"], sha(folder, "HEAD~4").as_str(), "{answer}");

    let output = bisect(folder, &["--good", "HEAD~4", "--bad", "HEAD~2"]);
    refused(&output, 4, &["no commit found: no case is slower"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_contains(&text, &["both run identical programs. Nothing was measured.", "2 builds and 0 pairs"]);
}

#[test]
fn failed_repetition_adds_no_evidence() {
    if !has_programs() {
        return;
    }
    let folder = history(&[FAST, FLAKY, SLOW]);
    let answer = printed_json(&bisect(folder.path(), &["--good", "HEAD~2", "--format", "json"]));
    assert_eq!(answer["culprit"]["commits"][0]["subject"], SLOW, "{answer}");
    // A commit needs three pairs; the pair before the failure counts once.
    assert!(answer["commits"][0]["pairs"].as_u64() >= Some(3), "{answer}");
}

#[test]
fn reports_a_range_if_the_commit_before_does_not_build() {
    if !has_programs() {
        return;
    }
    let folder = history(&[FAST, FAST, BROKEN, SLOW]);
    let text = printed(&bisect(folder.path(), &["--good", "HEAD~3", "ours"]));
    let [first, last] = ["HEAD~1", "HEAD"].map(|revision| sha(folder.path(), revision));
    let range = format!("One of 2 commits, {} to {}: +", &first[..7], &last[..7]);
    let reason = "broken (skipped: build of commit ";
    assert_contains(
        &text,
        &[&range, ", probability > 0.99, ", "All but the last could not be measured", reason],
    );
}

#[test]
fn skips_a_commit_whose_build_hangs() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    add_definition(folder);
    settings(folder, "'sh bench/build'");
    for (build, format) in [("", FAST), (HANG, "hangs"), ("", SLOW)] {
        let build = format!("{build}mkdir -p bench/built\ncp bench/source bench/built/ours\n");
        fs::write(folder.join("bench/build"), build).unwrap();
        commit(folder, format);
    }
    let text = printed(&bisect(folder, &["--good", "HEAD~2", "--command-timeout", "4s"]));
    let hangs = sha(folder, "HEAD~1");
    let reason = format!(
        "hangs (skipped: build of commit {} failed: `sh bench/build` timed out after 4 s (--command-timeout))",
        &hangs[..7]
    );
    assert_contains(&text, &["One of 2 commits, ", &reason]);
    has_no_worktree(folder);
}

#[test]
fn merge_counts_as_one_commit() {
    if !has_programs() {
        return;
    }
    let folder = history(&[FAST]);
    let folder = folder.path();
    git(folder, &["branch", "-M", "main"]);
    git(folder, &["checkout", "-q", "-b", "side"]);
    commit(folder, SLOW);
    git(folder, &["checkout", "-q", "main"]);
    git(folder, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let text = printed(&bisect(folder, &["--good", "HEAD^"]));
    let [base, head] = ["HEAD^", "HEAD"].map(|revision| sha(folder, revision));
    let search = format!(
        "It is a merge. Search its branch: roundtrip bisect --good {} --bad {}^2",
        &base[..7],
        &head[..7]
    );
    assert_contains(&text, &[&format!("{} \"merge\": +", &head[..7]), &search]);
}

#[test]
fn reports_the_detectable_slowdown_without_a_change() {
    if !has_programs() {
        return;
    }
    let folder = history(&[SLOW, FAST]);
    let output = bisect(folder.path(), &["--good", "HEAD~1", "--format", "json"]);
    refused(&output, 4, &["no commit found: no case is slower"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["outcome"], &answer["culprit"]), (&"no-change".into(), &Value::Null));
    assert!(answer["detectable"].as_f64() >= Some(0.03), "{answer}");
    assert_eq!(answer["cases"][0]["verdict"], "improved");
}

#[test]
fn names_missing_cases() {
    if !has_programs() {
        return;
    }
    let folder = history(&[FAST, "absent", FAST, SLOW]);
    let folder = folder.path();
    let output = bisect(folder, &["theirs"]);
    refused(
        &output,
        2,
        &["no case matches `theirs`: expected part of one of these\nroundtrip, 2proc, free: ours 64 KiB"],
    );
    let output = bisect(folder, &["--good", "HEAD~2"]);
    refused(&output, 9, &["no case has results at both ends", "--good: failed: "]);
    // A commit without the case is skipped.
    let text = printed(&bisect(folder, &["--good", "HEAD~3", "--bad", "HEAD"]));
    assert_contains(&text, &[&format!("{} \"json\": +", &sha(folder, "HEAD")[..7])]);
}

#[test]
fn rejects_unusable_ranges_before_measuring() {
    let folder = history(&["one", "two"]);
    let folder = folder.path();
    git(folder, &["branch", "-M", "main"]);
    git(folder, &["checkout", "-q", "-b", "side", "HEAD~1"]);
    commit(folder, "aside");
    let [aside, base] = ["HEAD", "HEAD^"].map(|revision| sha(folder, revision)[..7].to_owned());
    let advice = format!("--good {aside} is not an ancestor of --bad ");
    git(folder, &["checkout", "-q", "main"]);
    let merge_base = format!("Pass their merge base: --good {base}");
    for (arguments, expected) in [
        (&["--good", "v9"][..], &["no revision `v9` in"][..]),
        (&["--good", "HEAD"], &["--good and --bad are the same commit"]),
        (&["--good", "HEAD", "--bad", "HEAD~1"], &["Swap them"]),
        (&["--good", "side"], &[&advice, &merge_base]),
        (&["--confidence", "100"], &["expected a percentage"]),
    ] {
        refused(&bisect(folder, arguments), 2, expected);
    }
    git(folder, &["merge", "-q", "-s", "ours", "-m", "merge", "side"]);
    refused(
        &bisect(folder, &["--good", "side"]),
        2,
        &["is on a merged branch", &format!("such as --good {base}")],
    );

    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", folder.display());
    git(clone.path(), &["clone", "-q", "--depth", "1", &url, "."]);
    refused(&bisect(clone.path(), &["--good", &aside]), 2, &["no revision", "git fetch --unshallow"]);
    refused(&bisect(clone.path(), &[]), 2, &["no default for --good", "git fetch --unshallow"]);
    let elsewhere = tempfile::tempdir().unwrap();
    refused(&bisect(elsewhere.path(), &[]), 2, &["Not a Git repository"]);
}

#[test]
fn skips_a_commit_whose_program_speaks_another_protocol() {
    if !has_programs() {
        return;
    }
    let folder = history(&[FAST, FAST]);
    let folder = folder.path();
    fs::write(folder.join("bench/source"), "read line\necho '{\"hello\":2}'\nread line\n").unwrap();
    commit_all(folder, "another protocol");
    [SLOW, SLOW].iter().for_each(|format| commit(folder, format));
    let answer = printed_json(&bisect(folder, &["--good", "HEAD~4", "--format", "json"]));
    // Without a figure, either of both may be the culprit.
    assert_eq!(
        (&answer["outcome"], &answer["commits"][1]["change"]),
        (&"range".into(), &Value::Null),
        "{answer}"
    );
    let skipped = answer["commits"][1]["skipped"].as_str().unwrap();
    assert_contains(skipped, &["hello"]);
    let culprits = answer["culprit"]["commits"].as_array().unwrap();
    let subjects: Vec<&str> = culprits.iter().map(|commit| commit["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, ["another protocol", SLOW]);
}

/// A library whose oldest commits have no benchmark yet.
fn library(formats: &[&str]) -> TempDir {
    let folder = repository();
    for format in formats {
        fs::write(folder.path().join("library"), format).unwrap();
        commit_all(folder.path(), format);
    }
    folder
}

#[test]
fn measures_commits_older_than_the_benchmark() {
    if !has_programs() {
        return;
    }
    let folder = library(&[FAST, FAST, SLOW, SLOW]);
    let folder = folder.path();
    fs::create_dir(folder.join("bench")).unwrap();
    let definition = definition_of_programs(&["ours"], "['sh', 'built/ours']");
    fs::write(folder.join("bench/ours.toml"), definition).unwrap();
    // The program uses the library of each commit.
    let build = format!(
        "mkdir -p bench/built\necho exec {} peer framing $(cat library) > bench/built/ours\n",
        words()
    );
    fs::write(folder.join("bench/build"), build).unwrap();
    fs::write(folder.join("bench/.gitignore"), "built\n").unwrap();
    settings(folder, "'sh bench/build'");
    // They are not committed.
    let output = bisect(folder, &["--good", "HEAD~3", "--format", "json"]);
    let answer = printed_json(&output);
    assert_eq!(answer["culprit"]["commits"][0]["sha"], sha(folder, "HEAD~1").as_str(), "{answer}");
    let errors = error_text(&output);
    assert_contains(&errors, &["It has no bench: measuring it with the one of your checkout"]);
    has_no_worktree(folder);
}

#[test]
fn default_range_begins_where_the_settings_were_added() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    git(folder, &["branch", "-M", "main"]);
    fs::write(folder.join("README"), "ours").unwrap();
    commit_all(folder, "before");
    git(folder, &["checkout", "-q", "-b", "bench"]);
    add_definition(folder);
    [FAST, FAST, SLOW].iter().for_each(|format| commit(folder, format));
    let expected = format!("{} \"json\": +", &sha(folder, "HEAD")[..7]);
    assert_contains(&printed(&bisect(folder, &[])), &[&expected]);
    git(folder, &["branch", "-f", "main"]);
    assert_contains(&printed(&bisect(folder, &[])), &[&expected]);
    let only = bisect(folder, &["--bad", "HEAD~2"]);
    refused(&only, 2, &["no default for --good: no earlier commit has roundtrip.toml"]);
}

/// By default, the range begins where the branch left the default branch.
#[test]
fn names_an_end_that_does_not_build() {
    let folder = history(&["one", BROKEN, "two"]);
    let folder = folder.path();
    git(folder, &["branch", "main", "HEAD~1"]);
    git(folder, &["checkout", "-q", "--detach"]);
    let output = bisect(folder, &[]);
    let name = format!("--good {} must build. Pass another --good.", &sha(folder, "main")[..7]);
    refused(&output, 1, &["Searching 1 commit", "`cp bench/source bench/built/ours` failed: ", &name]);
    has_no_worktree(folder);
}

#[test]
fn stopped_search_leaves_no_worktree() {
    let folder = history(&["one", "two"]);
    let folder = folder.path();
    // The build reports that it runs, and ends when the test removes the file.
    let running = folder.join("running");
    let wait = format!("touch {0}; while test -e {0}; do :; done", running.display());
    settings(folder, &format!("\"sh -c '{wait}'\""));
    let started = roundtrip(folder)
        .args(["bisect", "--good", "HEAD~1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut search = Process(started);
    wait_until("the build runs", || running.exists());
    search.terminate();
    let mut status = None;
    wait_until("the search ends", || {
        let _ = fs::remove_file(&running);
        status = search.0.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(status.unwrap().code(), Some(130));
    has_no_worktree(folder);
}
