//! `roundtrip ab --of revision` with programs that a commit did not change: they are not measured.

use crate::run::{commit_all, repository};
use crate::{
    assert_contains, definition_of_programs, has_programs, printed, printed_json, run_command, words,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PROGRAM: &str = include_str!("../../../benches/external/c/unix_socket.c");
const HEADER: &str = include_str!("../../../benches/external/c/roundtrip.h");

/// Calls the library and reads a file before `main`.
const START: &str = "#include <stdio.h>\nint ours(void);\nint volatile used;\n\
    __attribute__((constructor)) static void start(void) {\n\
    FILE *file = fopen(\"data\", \"r\");\n    used = ours() + (file ? fgetc(file) : 0);\n    if (file) fclose(file);\n}\n";

fn write(folder: &Path, file: &str, text: &str) {
    fs::write(folder.join(file), text).unwrap();
}

fn settings(folder: &Path, command: &str, build: &str) {
    write(folder, "ours.toml", &definition_of_programs(&["ours"], command));
    write(folder, "roundtrip.toml", &format!("presets = ['ours.toml']\nbuild = [{build}]\n"));
}

/// A program in C with a shared library, and with debug information that contains the path of the work tree.
fn in_c() -> TempDir {
    let folder = repository();
    let root = folder.path();
    settings(
        root,
        "['./ipc']",
        r#""cc -O2 -g -shared -fPIC -o libours.so ours.c",
           "cc -O2 -g -o ipc unix_socket.c start.c -L. -lours -Wl,-rpath,$ORIGIN""#,
    );
    write(root, ".gitignore", "ipc\n*.so\n");
    for (file, text) in [
        ("unix_socket.c", PROGRAM),
        ("roundtrip.h", HEADER),
        ("start.c", START),
        ("ours.c", "int ours(void) { return 1; }\n"),
        ("data", "one"),
    ] {
        write(root, file, text);
    }
    commit_all(root, "Add a program");
    folder
}

/// A program that consists of two scripts.
fn in_shell() -> TempDir {
    let folder = repository();
    let root = folder.path();
    settings(root, "['sh', 'main.sh']", "");
    write(root, "main.sh", ". ./part.sh\n");
    write(root, "part.sh", &format!("exec {} peer framing advanced\n", words()));
    commit_all(root, "Add a program");
    folder
}

/// Commits a change and compares it with the commit before.
fn changed(folder: &Path, file: &str, text: &str, further: &[&str]) -> Value {
    write(folder, file, text);
    commit_all(folder, "Change a file");
    compared(folder, "HEAD~1", further)
}

fn compared(folder: &Path, base: &str, further: &[&str]) -> Value {
    let arguments = ["ab", "--of", "revision", "--base", base, "--head", "HEAD", "--format", "json"];
    printed_json(&run_command(folder, &[&arguments[..], further].concat()))
}

#[track_caller]
fn is_measured(answer: &Value) {
    let case = &answer["cases"][0];
    assert_eq!(case["identical"], false, "{answer}");
    assert!(case["ratio"].is_number() && answer["machine_seconds"].as_f64() > Some(0.0), "{answer}");
}

#[track_caller]
fn is_not_measured(answer: &Value) {
    let case = &answer["cases"][0];
    assert_eq!((&case["identical"], &case["verdict"]), (&true.into(), &"no change".into()), "{answer}");
    assert!(case["ratio"].is_null() && answer["machine_seconds"].as_f64() == Some(0.0), "{answer}");
}

#[test]
fn programs_that_differ_in_comments_and_debug_paths_are_not_measured() {
    if !has_programs() {
        return;
    }
    let folder = in_c();
    let folder = folder.path();
    let further = ["--fail-on", "regressed,inconclusive", "--summary", "page.md", "--output", "report.json"];
    is_not_measured(&changed(folder, "unix_socket.c", &format!("{PROGRAM}// A comment.\n"), &further));
    assert!(!folder.join("report.json").exists(), "a report without results");
    let sentence = "Not measured: base and head run identical programs in 1 case.";
    let page = fs::read_to_string(folder.join("page.md")).unwrap();
    assert_contains(&page, &["### Identical programs: nothing to measure", sentence]);
    let arguments = ["ab", "--of", "revision", "--base", "HEAD~1", "--head", "HEAD"];
    assert_eq!(printed(&run_command(folder, &arguments)).trim(), sentence);
}

#[test]
fn changed_files_of_a_program_are_measured() {
    if !has_programs() {
        return;
    }
    let folder = in_c();
    let folder = folder.path();
    is_measured(&changed(folder, "ours.c", "int ours(void) { return 2; }\n", &[]));
    is_measured(&changed(folder, "data", "two", &[]));
}

#[test]
fn changed_part_of_a_script_is_measured() {
    if !has_programs() {
        return;
    }
    let folder = in_shell();
    let folder = folder.path();
    is_not_measured(&changed(folder, "README.md", "Ours", &[]));
    let part = fs::read_to_string(folder.join("part.sh")).unwrap();
    is_measured(&changed(folder, "part.sh", &format!("# A comment.\n{part}"), &[]));
}

#[test]
fn commit_is_measured_against_itself() {
    if !has_programs() {
        return;
    }
    is_measured(&compared(in_shell().path(), "HEAD", &[]));
}
