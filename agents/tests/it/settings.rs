//! `roundtrip.toml`: defaults for presets and builds.

use crate::run::repository;
use crate::{definition, printed, refused, run_command};
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn measures_configured_presets_from_any_folder() {
    let folder = repository();
    let within = folder.path().join("deeper");
    fs::create_dir(&within).unwrap();
    write(folder.path(), "one.toml", &definition("tcp", 1));
    write(&within, "two.toml", &definition("tcp", 1));
    write(folder.path(), "roundtrip.toml", "project = 'ours'\npresets = ['one.toml', 'deeper/two.toml']");
    let reports = printed(&run_command(&within, &["run", "--format", "json"]));
    let reports: Vec<serde_json::Value> =
        serde_json::Deserializer::from_str(&reports).into_iter().collect::<Result<_, _>>().unwrap();
    let found: Vec<_> =
        reports.iter().map(|report| (&report["project"], &report["suite"]["preset"])).collect();
    assert_eq!(found, [(&"ours".into(), &"one".into()), (&"ours".into(), &"two".into())]);

    let output = run_command(&within, &["run", "--output", "report.json"]);
    refused(&output, 2, &["--output takes one report, but roundtrip.toml produces 2"]);
}

#[test]
fn reports_invalid_settings_before_measuring() {
    let folder = repository();
    write(folder.path(), "roundtrip.toml", "project = 'ours'\npresets = ['quik']\n");
    let place = "roundtrip.toml: TOML parse error at line 2, column 12";
    let output = run_command(folder.path(), &["run"]);
    refused(&output, 2, &[place, "unknown preset `quik`: expected one of"]);
}

#[test]
fn rejects_uploads_of_unlisted_machines() {
    let folder = repository();
    write(folder.path(), "roundtrip.toml", "machines = ['lab-1']");
    write(folder.path(), "token", "token");
    let arguments = ["run", "--upload", "http://127.0.0.1:1", "--token-file", "token", "--machine", "laptop"];
    refused(&run_command(folder.path(), &arguments), 9, &["is not in `machines` of roundtrip.toml (lab-1)"]);
}

/// A program whose source is a wire format of the suite, written down by its build.
#[cfg(unix)]
mod built {
    use super::*;
    use crate::run::{commit_all, git};
    use crate::{definition_of_programs, has_programs, printed_json, roundtrip, words};

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
    fn builds_programs_before_measuring() {
        if !has_programs() {
            return;
        }
        let folder = two_commits();
        let arguments = ["run", "--preset", "bench/ours.toml", "--format", "json"];
        let output = run_command(folder.path(), &arguments);
        assert!(crate::error_text(&output).contains("Building: cp bench/source bench/built/ours"));
        let report = printed_json(&output);
        assert_eq!(report["results"][0]["failures"], serde_json::Value::Null, "{report}");
    }

    #[test]
    fn builds_two_revisions_without_changing_the_repository() {
        if !has_programs() {
            return;
        }
        let folder = two_commits();
        let arguments = ["ab", "--of", "revision", "--base", "HEAD~1", "--head", "HEAD", "--format", "json"];
        let answer = printed_json(&run_command(folder.path(), &arguments));
        assert_eq!(answer["cases"][0]["verdict"], "regressed", "{answer}");

        assert!(!folder.path().join("bench/built").exists());
        let listed = git(folder.path(), &["worktree", "list", "--porcelain"]);
        assert_eq!(listed.matches("worktree ").count(), 1);
    }

    #[test]
    fn fetches_submodules_without_changing_the_configuration() {
        let (library, folder) = (repository(), repository());
        write(library.path(), "file", "from the library");
        commit_all(library.path(), "two");
        let url = library.path().to_str().unwrap();
        git(
            folder.path(),
            &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "library"],
        );
        write(folder.path(), "ours.toml", &definition_of_programs(&["ours"], "['true']"));
        let settings = "presets = ['ours.toml']\nbuild = [\"sh -c 'cat library/file; exit 3'\"]";
        write(folder.path(), "roundtrip.toml", settings);
        commit_all(folder.path(), "two");
        git(folder.path(), &["submodule", "--quiet", "deinit", "--all"]);
        let before = git(folder.path(), &["config", "--list"]);
        let arguments = ["ab", "--of", "revision", "--base", "HEAD", "--head", "HEAD"];
        let output =
            roundtrip(folder.path()).args(arguments).env("GIT_ALLOW_PROTOCOL", "file").output().unwrap();
        refused(&output, 1, &["from the library", "failed: exit status: 3"]);
        assert_eq!(git(folder.path(), &["config", "--list"]), before);
    }

    #[test]
    fn names_missing_or_broken_revisions() {
        let folder = two_commits();
        let ab = |repository: &Path, base: &str| {
            run_command(repository, &["ab", "--of", "revision", "--base", base, "--head", "HEAD"])
        };
        let expected = ["no revision `v9` in", "expected a commit, branch or tag"];
        refused(&ab(folder.path(), "v9"), 2, &expected);
        let clone = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().display());
        git(clone.path(), &["clone", "-q", "--depth", "1", &url, "."]);
        let shallow = ["no revision `HEAD~1` in", "This clone is shallow", "git fetch --unshallow"];
        refused(&ab(clone.path(), "HEAD~1"), 2, &shallow);

        write(
            folder.path(),
            "roundtrip.toml",
            "presets = ['bench/ours.toml']\nbuild = ['cp bench/absent .']",
        );
        refused(&ab(folder.path(), "HEAD"), 1, &["`cp bench/absent .` failed: "]);
        let elsewhere = tempfile::tempdir().unwrap();
        refused(&ab(elsewhere.path(), "HEAD"), 2, &["Not a Git repository"]);
    }
}
