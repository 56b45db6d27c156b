//! `roundtrip service`: dry runs for every system, without secrets, and early errors. An installed service on
//! this machine is not touched.

use crate::run::repository;
use crate::{printed, refused, roundtrip, run_command};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// An installation command, in a folder with the files that it needs.
fn install(folder: &Path) -> Command {
    std::fs::write(folder.join("token"), "rt_agent_secret").unwrap();
    arguments_of_install(roundtrip(folder))
}

fn arguments_of_install(mut command: Command) -> Command {
    command.args(["service", "install", "--repository", ".", "--upload", "http://127.0.0.1:7979"]);
    command.args(["--token-file", "token"]);
    command
}

/// Whether this machine has the service installed, which a test could damage.
fn is_installed(folder: &Path) -> bool {
    let output = run_command(folder, &["service", "status", "--format", "json"]);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(if status["state"] == "running" { 0 } else { 1 }));
    let is_installed = status["state"] != "not-installed";
    if is_installed {
        println!("not run, because this machine has a service: {status}");
    }
    is_installed
}

#[test]
fn dry_run_works_for_every_system_without_the_token() {
    let folder = repository();
    // On macOS it runs as the owner of the checkout, who may be root here.
    for system in ["freebsd", "linux", "windows"] {
        let listing = printed(&install(folder.path()).args(["-n", "--system", system]).output().unwrap());
        let token = folder.path().join("token");
        assert!(listing.contains(&*token.to_string_lossy()), "{system}: {listing}");
        assert!(!listing.contains("rt_agent_secret"), "{system}: {listing}");
        assert!(!listing.contains("{{"), "{system}: {listing}");
    }
    refused(&install(folder.path()).args(["--system", "linux"]).output().unwrap(), 2, &[]);
}

#[test]
fn removes_nothing_if_not_installed() {
    let folder = repository();
    if is_installed(folder.path()) {
        return;
    }
    let words = "is not installed";
    refused(&run_command(folder.path(), &["service", "uninstall"]), 1, &[words]);
    let output = run_command(folder.path(), &["service", "status"]);
    assert_eq!(refused(&output, 1, &[]), "", "the answer is on standard output only");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.trim_end().ends_with(": not installed"), "{text}");
}

#[cfg(unix)]
#[test]
fn installing_needs_administrator_rights() {
    use crate::started;
    use roundtrip_bench::harness::PeerCommand;
    use std::fs::{self, Permissions};
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    /// The user `nobody` on Linux; unassigned elsewhere.
    const NOBODY: u32 = 65_534;
    let folder = repository();
    if is_installed(folder.path()) {
        return;
    }
    let mut command = install(folder.path());
    if rustix::process::geteuid().is_root() {
        // Another user may not be able to reach the original. A link, not a copy: a file that another test's
        // new process still has open for writing cannot be executed.
        let built = Path::new(env!("CARGO_BIN_EXE_roundtrip"));
        let within_reach = folder.path().join("roundtrip");
        fs::hard_link(built, &within_reach).or_else(|_| fs::copy(built, &within_reach).map(drop)).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        command = arguments_of_install(started(&PeerCommand::new(within_reach, None), folder.path()));
        command.uid(NOBODY);
    }
    refused(&command.output().unwrap(), 1, &["run it with sudo", "--print"]);
}

#[test]
fn rejects_values_that_no_file_supports() {
    let folder = repository();
    refused(&install(folder.path()).args(["--print", "--preset", "a\nb.toml"]).output().unwrap(), 2, &[]);
    let install = ["service", "install", "--print", "--upload", "http://a", "--token-file", "c"];
    let output = run_command(folder.path(), &[&install[..], &["--repository", "a\nb"]].concat());
    refused(&output, 2, &["control character"]);
}
