//! `roundtrip init`, in real repositories of several languages, without a terminal.

use crate::run::{git, repository};
use crate::{assert_contains, has_programs, printed, read_json, refused, run_command};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const DEFINITION: &str = "benchmarks/roundtrip/ipc.toml";
const WORKFLOW: &str = ".github/workflows/roundtrip.yml";

fn repository_with(files: &[(&str, &str)]) -> TempDir {
    let folder = repository();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn init(folder: &Path, further: &[&str]) -> String {
    printed(&run_command(folder, &[&["init"], further].concat()))
}

/// Also of a command that failed later.
fn printed_text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn text(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap()
}

/// Whether this toolchain is installed. Prints if it is not.
fn has(tool: &str) -> bool {
    let is_installed = Command::new(tool).arg("--version").output().is_ok();
    if !is_installed {
        println!("not run, because {tool} is not installed");
    }
    is_installed
}

/// Prepares a repository with this source and build file, and measures all cases, of a few operations.
fn measures(language: &str, source: &str, build_file: &str, tool: &str) {
    if !has_programs() || !has(tool) {
        return;
    }
    let build_text = match build_file {
        "go.mod" => "module example.org/queue\n\ngo 1.20\n",
        "Cargo.toml" => "[workspace]\n",
        _ => "",
    };
    let folder = repository_with(&[(source, ""), (build_file, build_text)]);
    let folder = folder.path();
    let answer = init(folder, &[]);
    assert_contains(
        &answer,
        &[language, build_file, "): p50 ", "Wrote roundtrip.toml", "roundtrip ab --of revision"],
    );

    let short = text(folder, DEFINITION).replace("operations = 500", "operations = 20");
    fs::write(folder.join(DEFINITION), short).unwrap();
    printed(&run_command(folder, &["run", "--output", "x.json"]));
    let results = read_json(&folder.join("x.json"))["results"].clone();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        assert!(result["failures"].is_null() && result["unsupported"].is_null(), "{result}");
    }
    let untracked = git(folder, &["status", "--porcelain", "--untracked-files=all"]);
    for built in ["/ipc\n", "/target/"] {
        assert!(!untracked.contains(built), "{untracked}");
    }
}

#[test]
fn measures_a_program_in_c() {
    measures("C", "queue.c", "Makefile", "cc");
}

#[test]
fn measures_a_program_in_cpp() {
    measures("C++", "queue.cpp", "CMakeLists.txt", "c++");
}

#[test]
fn measures_a_program_in_rust() {
    measures("Rust", "src/lib.rs", "Cargo.toml", "cargo");
}

#[test]
fn measures_a_program_in_go() {
    measures("Go", "queue.go", "go.mod", "go");
}

#[test]
fn measures_a_program_in_python() {
    measures("Python", "queue_ipc.py", "pyproject.toml", "python3");
}

#[test]
fn measures_a_program_in_node() {
    // A package of ES modules.
    measures("JavaScript", "queue.js", "package.json", "node");
}

#[test]
fn headers_of_a_cpp_library_are_cpp() {
    let folder =
        repository_with(&[("include/a.h", ""), ("include/b.h", ""), ("test/a.cpp", ""), ("c.py", "")]);
    let output = run_command(folder.path(), &["init", "--language", "none"]);
    assert_contains(&printed_text(&output), &["Language: C++\n"]);
}

#[test]
fn explains_the_next_step_for_a_language_without_an_example() {
    if !has_programs() || !has("python3") {
        return;
    }
    for (files, language) in [
        (&[("pom.xml", ""), ("src/Queue.java", ""), ("tool.py", "")][..], "Language: Java (pom.xml)"),
        (&[("Queue.sln", ""), ("Queue.cs", "")], "Language: C# (Queue.sln)"),
        (&[("Package.swift", ""), ("Queue.swift", "")], "Language: Swift (Package.swift)"),
    ] {
        let folder = repository_with(files);
        let answer = init(folder.path(), &[]);
        let name = language["Language: ".len()..].split(' ').next().unwrap();
        let next =
            format!("There is no example in {name}. Write benchmarks/roundtrip/ipc.py again in {name}");
        assert_contains(&answer.replace("\n  ", " "), &[language, "--language python", "): p50 ", &next]);
        assert_contains(
            &answer,
            &["\n  https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md\n"],
        );
    }
}

#[test]
fn names_the_rust_package_in_the_program() {
    if !has("cargo") {
        return;
    }
    let folder = repository_with(&[
        ("src/lib.rs", ""),
        ("Cargo.toml", "[package]\nname = 'courier'\nversion = '1.0.0'\nedition = '2021'\n"),
        (".gitignore", "Cargo.lock\ntarget\n"),
    ]);
    let folder = folder.path();
    init(folder, &[]);
    let cargo = text(folder, "benchmarks/roundtrip/Cargo.toml");
    assert_contains(&cargo, &["# To measure your library: courier = { path = \"../..\" }"]);
    // All commits use the same dependencies.
    let untracked = git(folder, &["status", "--porcelain", "--untracked-files=all"]);
    assert_contains(&untracked, &["?? benchmarks/roundtrip/Cargo.lock"]);
}

#[test]
fn second_time_writes_nothing() {
    if !has_programs() || !has("python3") {
        return;
    }
    let folder = repository_with(&[("queue.c", "")]);
    let folder = folder.path();
    init(folder, &["--language", "python"]);
    let files = || git(folder, &["status", "--porcelain", "--untracked-files=all"]);
    let before = files();
    let answer = init(folder, &[]);
    assert_contains(&answer, &["Kept  roundtrip.toml", "Kept  benchmarks/roundtrip/ipc.toml", "): p50 "]);
    assert!(!answer.contains("Wrote"), "{answer}");
    assert_eq!(files(), before);
}

#[test]
fn keeps_settings_and_prints_what_they_lack() {
    if !has_programs() || !has("cc") {
        return;
    }
    let settings = "project = 'courier'\npresets = ['quick']\n";
    let folder = repository_with(&[("roundtrip.toml", settings), ("queue.c", "")]);
    let folder = folder.path();
    let answer = init(folder, &["--workflow", "no"]);
    assert_eq!(text(folder, "roundtrip.toml"), settings);
    let lacks = [
        "Kept  roundtrip.toml",
        "Add to roundtrip.toml:\npresets = [\"benchmarks/roundtrip/ipc.toml\"]\nbuild = [\"cc ",
    ];
    assert_contains(&answer, &lacks);
    assert_contains(&answer, &["Measured courier 64 B "]);
    assert!(!folder.join(WORKFLOW).exists());
}

#[test]
fn imports_existing_benchmarks() {
    let google = "#include <benchmark/benchmark.h>\n";
    let criterion = "[package]\nname = 'queue'\n[dev-dependencies]\ncriterion = '0.7'\n";
    let go = "package queue\n\nfunc BenchmarkSend(b *testing.B) {}\n";
    for (files, tool, settings) in [
        (
            &[("Cargo.toml", criterion)][..],
            "Criterion (Cargo.toml)",
            "\n[[command]]\nrun = \"cargo criterion ",
        ),
        (
            &[("go.mod", ""), ("ipc/queue_test.go", go)],
            "Go (ipc/queue_test.go)",
            "\n[[command]]\nrun = \"go test ",
        ),
        (&[("bench/queue.cc", google)], "Google Benchmark (bench/queue.cc)", "\n# [[command]]\n"),
        (
            &[("pyproject.toml", "[project]\ndependencies = ['pytest-benchmark']\n")],
            "pytest-benchmark (pyproject.toml)",
            "\n[[command]]\nrun = \"python3 -m pytest ",
        ),
        (
            &[("bench/run.sh", "#!/bin/sh\nhyperfine --warmup 3 ./queue\n")],
            "hyperfine (bench/run.sh)",
            "# run = \"hyperfine --export-json benchmarks/roundtrip/hyperfine.json COMMAND\"",
        ),
        (
            &[("bench/pom.xml", "<groupId>org.openjdk.jmh</groupId>\n")],
            "JMH (bench/pom.xml)",
            "# format = \"jmh\"",
        ),
        (&[("load/test.js", "import http from 'k6/http';\n")], "k6 (load/test.js)", "# format = \"k6\""),
    ] {
        let folder = repository_with(files);
        let folder = folder.path();
        assert_contains(&init(folder, &["--language", "none"]), &[tool]);
        assert_contains(&text(folder, "roundtrip.toml"), &[settings]);
        assert!(!folder.join(DEFINITION).exists() && !folder.join(WORKFLOW).exists());
        // The settings are valid.
        assert_contains(&init(folder, &["--language", "none"]), &["Kept  roundtrip.toml"]);
    }
}

#[test]
fn writes_no_workflow_for_another_forge() {
    if !has_programs() || !has("python3") {
        return;
    }
    let folder = repository_with(&[("queue.py", "")]);
    git(folder.path(), &["remote", "add", "origin", "https://git.example.org/team/courier.git"]);
    assert_contains(
        &init(folder.path(), &[]),
        &["Defaults: --language python --workflow no", "Measured courier 64 B "],
    );
    assert!(!folder.path().join(WORKFLOW).exists());
}

#[test]
fn writes_all_files_or_none() {
    let folder = repository_with(&[("queue.c", ""), (".github", "")]);
    let output = run_command(folder.path(), &["init"]);
    let words = ["cannot write .github/workflows/roundtrip.yml", "is not a folder. Nothing was written."];
    refused(&output, 1, &words);
    assert!(!folder.path().join("roundtrip.toml").exists() && !folder.path().join("benchmarks").exists());
}

/// A copy of git runs alone on these systems.
#[cfg(unix)]
#[test]
fn names_a_missing_tool_and_keeps_the_files() {
    if !has_programs() {
        return;
    }
    let folder = repository_with(&[("queue.c", "")]);
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|path| path.join("git").with_extension(std::env::consts::EXE_EXTENSION))
        .find(|git| git.exists());
    let tools = tempfile::tempdir().unwrap();
    fs::copy(found.unwrap(), tools.path().join("git")).unwrap();
    let output = crate::roundtrip(folder.path()).arg("init").env("PATH", tools.path()).output().unwrap();
    refused(
        &output,
        1,
        &["`cc` not found. Install a C compiler", "Fix this, then measure with: roundtrip run"],
    );
    assert!(folder.path().join(DEFINITION).exists());
}

#[test]
fn rejects_what_leaves_nothing_to_measure() {
    let folder = repository_with(&[("queue.c", "")]);
    let output = run_command(folder.path(), &["init", "--language", "none"]);
    refused(&output, 2, &["no benchmarks of other tools found", "choose a language"]);
    let elsewhere = tempfile::tempdir().unwrap();
    refused(&run_command(elsewhere.path(), &["init"]), 1, &["Not a Git repository", "`git init`"]);
    assert!(!folder.path().join("roundtrip.toml").exists());
}
