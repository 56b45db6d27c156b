//! Tests the errors of `cargo xtask`: immediate, one sentence, without building. Also tests the scripts of
//! releases.
#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "tests may panic"))]

#[cfg(unix)]
mod install;
#[cfg(unix)]
mod release;

use std::net::TcpListener;
#[cfg(unix)]
use std::path::Path;
use std::process::{Command, Output};

/// The root of the checkout.
#[cfg(unix)]
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Writes an executable program.
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

/// The only line on standard error of a failed run.
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
fn rejects_a_port_in_use() {
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = held.local_addr().unwrap().port().to_string();
    let output = xtask(&["up", "--no-run", "--port", &port]).output().unwrap();
    assert_eq!(
        sentence(&output),
        format!(
            "error: port {port} is in use by another program. Stop it, or choose another port with --port."
        )
    );
}

#[test]
fn reports_the_first_missing_tool() {
    let empty = tempfile::tempdir().unwrap();
    let output = xtask(&["up"]).env("PATH", empty.path()).output().unwrap();
    assert_eq!(sentence(&output), "error: git not found: install it; it identifies the measured commit");
}

#[cfg(unix)]
#[test]
fn reports_a_missing_npm() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["git", "cargo", "node"] {
        std::os::unix::fs::symlink(which::which(name).unwrap(), folder.path().join(name)).unwrap();
    }
    let output = xtask(&["up"]).env("PATH", folder.path()).output().unwrap();
    assert_eq!(sentence(&output), "error: npm not found: install Node.js; it builds the web UI");
}

#[test]
fn rejects_unknown_verbs() {
    let output = xtask(&["upp"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("'up'"), "it proposes the verb that was meant");
}
