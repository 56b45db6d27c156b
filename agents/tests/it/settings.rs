//! `roundtrip.toml`: what is measured and built unless something else is asked for.

use crate::run::repository;
use crate::{complaint, roundtrip};
use std::fs;
use std::path::Path;

/// One tiny case of a built-in transport.
const TINY: &str = "about = ''\ndeadline_seconds = 60\n[[case]]\nscenario = 'roundtrip'\ntransports = ['tcp']\n\
                    message_bytes = [64]\nmodes = ['2proc']\nplacements = ['free']\noperations = 10\nwarmup = 2\n\
                    repetitions = 1\n";

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn each_preset_of_the_file_is_measured_wherever_in_the_repository_we_are() {
    let folder = repository();
    let within = folder.path().join("deeper");
    fs::create_dir(&within).unwrap();
    write(folder.path(), "one.toml", TINY);
    write(&within, "two.toml", TINY);
    write(folder.path(), "roundtrip.toml", "project = 'ours'\npresets = ['one.toml', 'deeper/two.toml']");
    let output = roundtrip(&within).args(["run", "--format", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    let reports: Vec<serde_json::Value> =
        serde_json::Deserializer::from_slice(&output.stdout).into_iter().collect::<Result<_, _>>().unwrap();
    let told: Vec<_> =
        reports.iter().map(|report| (&report["project"], &report["suite"]["preset"])).collect();
    assert_eq!(told, [(&"ours".into(), &"one".into()), (&"ours".into(), &"two".into())]);

    let output = roundtrip(&within).args(["run", "--output", "report.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        complaint(&output).contains("--output takes one report, and roundtrip.toml makes 2"),
        "{}",
        complaint(&output)
    );
}

#[test]
fn what_the_file_says_wrong_is_told_with_line_and_column_before_anything_is_measured() {
    let folder = repository();
    write(folder.path(), "roundtrip.toml", "project = 'ours'\npresets = ['quik']\n");
    let output = roundtrip(folder.path()).arg("run").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complaint = complaint(&output);
    assert!(complaint.contains("roundtrip.toml: TOML parse error at line 2, column 12"), "{complaint}");
    assert!(complaint.contains("no preset is called `quik`: expected one of"), "{complaint}");
}

#[test]
fn a_machine_that_is_not_named_uploads_nothing() {
    let folder = repository();
    write(folder.path(), "roundtrip.toml", "machines = ['lab-1']");
    write(folder.path(), "token", "token");
    let arguments = ["run", "--upload", "http://127.0.0.1:1", "--token-file", "token", "--machine", "laptop"];
    let output = roundtrip(folder.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(9), "{}", complaint(&output));
    assert!(complaint(&output).contains("lab-1 alone"), "{}", complaint(&output));
}

/// A program whose source is a format of the suite, and whose building writes it down.
#[cfg(unix)]
mod built {
    use super::*;
    use crate::run::commit_all;
    use crate::words;

    /// Starts the format that the built file names.
    const DEFINITION: &str = "about = ''\ndeadline_seconds = 60\n[[program]]\nslug = 'ours'\ntitle = 'Ours'\n\
                              family = 'runtime'\nsemantics = ''\ncommand = ['sh', 'built/ours']\n[[case]]\n\
                              scenario = 'roundtrip'\ntransports = ['ours']\nmessage_bytes = [65536]\n\
                              modes = ['2proc']\nplacements = ['free']\noperations = 30\nwarmup = 5\n\
                              repetitions = 1\n";

    fn source(folder: &Path, format: &str) {
        write(folder, "bench/source", &format!("exec {} peer framing {format}\n", words()));
        commit_all(folder, format);
    }

    /// Two commits, the second with the slower format.
    fn two_commits() -> tempfile::TempDir {
        let folder = repository();
        fs::create_dir(folder.path().join("bench")).unwrap();
        write(folder.path(), "bench/ours.toml", DEFINITION);
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

    fn is_here() -> bool {
        let reason = roundtrip_bench::sys::fork_channel::support().err();
        reason.iter().for_each(|reason| println!("not run, because {reason}"));
        reason.is_none()
    }

    #[test]
    fn what_a_definition_starts_is_built_before_it_is_measured() {
        if !is_here() {
            return;
        }
        let folder = two_commits();
        let arguments = ["run", "--preset", "bench/ours.toml", "--format", "json"];
        let output = roundtrip(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", complaint(&output));
        assert!(complaint(&output).contains("Building: cp bench/source bench/built/ours"));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["results"][0]["failures"], serde_json::Value::Null, "{report}");
    }

    #[test]
    fn two_revisions_are_built_side_by_side_and_leave_the_repository_as_it_was() {
        if !is_here() {
            return;
        }
        let folder = two_commits();
        let arguments = ["ab", "--of", "revision", "--base", "HEAD~1", "--head", "HEAD", "--format", "json"];
        let output = roundtrip(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", complaint(&output));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
            let arguments = ["ab", "--of", "revision", "--base", base, "--head", "HEAD"];
            roundtrip(repository).args(arguments).output().unwrap()
        };
        let output = ab(folder.path(), "v9");
        assert_eq!(output.status.code(), Some(2));
        let told = "has no revision v9: expected a commit, a branch or a tag";
        assert!(complaint(&output).contains(told), "{}", complaint(&output));

        write(
            folder.path(),
            "roundtrip.toml",
            "presets = ['bench/ours.toml']\nbuild = ['cp bench/absent .']",
        );
        let output = ab(folder.path(), "HEAD");
        assert_eq!(output.status.code(), Some(1));
        assert!(complaint(&output).contains("`cp bench/absent .` ended with"), "{}", complaint(&output));

        let elsewhere = tempfile::tempdir().unwrap();
        let output = ab(elsewhere.path(), "HEAD");
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint(&output).contains("no repository is here"), "{}", complaint(&output));
    }
}
