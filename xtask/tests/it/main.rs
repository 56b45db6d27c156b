//! `cargo xtask` as a person runs it, where it must refuse: at once, with one sentence, without building. And the scripts of
//! releases.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

#[cfg(unix)]
mod install;
#[cfg(unix)]
mod release;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

/// The root of the checkout.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Writes a program that can be run.
#[cfg(unix)]
fn executable(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    command
}

/// The one line on standard error; fails if there are more, or if it did not fail.
fn sentence(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = errors.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(lines.len(), 1, "{errors}");
    assert_eq!(errors.lines().last(), Some(lines[0]), "{errors}");
    assert!(!errors.contains("web UI  "), "it began to build: {errors}");
    lines[0].to_owned()
}

#[test]
fn a_port_in_use_is_one_sentence() {
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = held.local_addr().unwrap().port().to_string();
    let output = xtask(&["up", "--no-run", "--port", &port]).output().unwrap();
    assert_eq!(
        sentence(&output),
        format!(
            "error: port {port} is in use by another program: stop it, or choose another port with --port"
        )
    );
}

#[test]
fn a_machine_without_tools_is_told_the_first_one() {
    let empty = tempfile::tempdir().unwrap();
    let output = xtask(&["up"]).env("PATH", empty.path()).output().unwrap();
    assert_eq!(sentence(&output), "error: git is missing: install it, because what is measured is a commit");
}

#[cfg(unix)]
#[test]
fn a_missing_npm_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["git", "cargo", "node"] {
        std::os::unix::fs::symlink(which::which(name).unwrap(), folder.path().join(name)).unwrap();
    }
    let output = xtask(&["up"]).env("PATH", folder.path()).output().unwrap();
    assert_eq!(sentence(&output), "error: npm is missing: install Node.js, which builds the web UI");
}

#[test]
fn a_verb_that_does_not_exist_is_a_usage_error() {
    let output = xtask(&["upp"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("'up'"), "it proposes the verb that was meant");
}
