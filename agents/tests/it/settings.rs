//! `roundtrip.toml`: what is measured and built unless something else is asked for.

use crate::run::repository;
use crate::{complaint, definition, printed, ran, refused};
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn each_preset_of_the_file_is_measured_wherever_in_the_repository_we_are() {
    let folder = repository();
    let within = folder.path().join("deeper");
    fs::create_dir(&within).unwrap();
    write(folder.path(), "one.toml", &definition("tcp", 1));
    write(&within, "two.toml", &definition("tcp", 1));
    write(folder.path(), "roundtrip.toml", "project = 'ours'\npresets = ['one.toml', 'deeper/two.toml']");
    let reports = printed(&ran(&within, &["run", "--format", "json"]));
    let reports: Vec<serde_json::Value> =
        serde_json::Deserializer::from_str(&reports).into_iter().collect::<Result<_, _>>().unwrap();
    let told: Vec<_> =
        reports.iter().map(|report| (&report["project"], &report["suite"]["preset"])).collect();
    assert_eq!(told, [(&"ours".into(), &"one".into()), (&"ours".into(), &"two".into())]);

    let output = ran(&within, &["run", "--output", "report.json"]);
    refused(&output, 2, &["--output takes one report, and roundtrip.toml makes 2"]);
}

#[test]
fn what_the_file_says_wrong_is_told_with_line_and_column_before_anything_is_measured() {
    let folder = repository();
    write(folder.path(), "roundtrip.toml", "project = 'ours'\npresets = ['quik']\n");
    let place = "roundtrip.toml: TOML parse error at line 2, column 12";
    let output = ran(folder.path(), &["run"]);
    refused(&output, 2, &[place, "no preset is called `quik`: expected one of"]);
}

#[test]
fn a_machine_that_is_not_named_uploads_nothing() {
    let folder = repository();
    write(folder.path(), "roundtrip.toml", "machines = ['lab-1']");
    write(folder.path(), "token", "token");
    let arguments = ["run", "--upload", "http://127.0.0.1:1", "--token-file", "token", "--machine", "laptop"];
    refused(&ran(folder.path(), &arguments), 9, &["lab-1 alone"]);
}

/// A program whose source is a format of the suite, and whose building writes it down.
#[cfg(unix)]
mod built {
    use super::*;
    use crate::run::commit_all;
    use crate::{definition_of_programs, has_programs, printed_json, words};

    fn source(folder: &Path, format: &str) {
        write(folder, "bench/source", &format!("exec {} peer framing {format}\n", words()));
        commit_all(folder, format);
    }

    /// Two commits, the second with the slower format.
    fn two_commits() -> tempfile::TempDir {
        let folder = repository();
        fs::create_dir(folder.path().join("bench")).unwrap();
        write(folder.path(), "bench/ours.toml", &definition_of_programs(&["ours"], "['sh', 'built/ours']"));
        write(
            folder.path(),
            "roundtrip.toml",
            "presets = ['quick', 'bench/ours.toml']\nbuild = ['mkdir -p bench/built', 'cp bench/source bench/built/ours']",
        );
        write(folder.path(), ".gitignore", "built");
        source(folder.path(), "advanced");
        source(folder.path(), "json");
        folder
    }

    #[test]
    fn what_a_definition_starts_is_built_before_it_is_measured() {
        if !has_programs() {
            return;
        }
        let folder = two_commits();
        let arguments = ["run", "--preset", "bench/ours.toml", "--format", "json"];
        let output = ran(folder.path(), &arguments);
        assert!(complaint(&output).contains("Building: cp bench/source bench/built/ours"));
        let report = printed_json(&output);
        assert_eq!(report["results"][0]["failures"], serde_json::Value::Null, "{report}");
    }

    #[test]
    fn two_revisions_are_built_side_by_side_and_leave_the_repository_as_it_was() {
        if !has_programs() {
            return;
        }
        let folder = two_commits();
        let arguments = ["ab", "--of", "revision", "--base", "HEAD~1", "--head", "HEAD", "--format", "json"];
        let answer = printed_json(&ran(folder.path(), &arguments));
        assert_eq!(answer["cases"][0]["verdict"], "regressed", "{answer}");

        assert!(!folder.path().join("bench/built").exists());
        let listed = std::process::Command::new("git")
            .current_dir(folder.path())
            .args(["worktree", "list", "--porcelain"])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&listed.stdout).matches("worktree ").count(), 1);
    }

    #[test]
    fn a_revision_that_is_not_there_or_does_not_build_is_named() {
        let folder = two_commits();
        let ab = |repository: &Path, base: &str| {
            ran(repository, &["ab", "--of", "revision", "--base", base, "--head", "HEAD"])
        };
        let told = "has no revision v9: expected a commit, a branch or a tag";
        refused(&ab(folder.path(), "v9"), 2, &[told]);

        write(
            folder.path(),
            "roundtrip.toml",
            "presets = ['bench/ours.toml']\nbuild = ['cp bench/absent .']",
        );
        refused(&ab(folder.path(), "HEAD"), 1, &["`cp bench/absent .` ended with"]);
        let elsewhere = tempfile::tempdir().unwrap();
        refused(&ab(elsewhere.path(), "HEAD"), 2, &["no repository is here"]);
    }
}
