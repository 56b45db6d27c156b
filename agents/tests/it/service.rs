//! `roundtrip service`: it says what it would do for every system, keeps the secret out of it, and refuses in time. A
//! service that is really installed here is not touched.

use crate::run::repository;
use crate::{printed, printed_json, ran, refused, roundtrip};
use std::path::Path;
use std::process::Command;

/// The arguments of an installation, in a folder that has what they name.
fn install(folder: &Path) -> Command {
    std::fs::write(folder.join("token"), "rt_agent_secret").unwrap();
    arguments_of_install(roundtrip(folder))
}

fn arguments_of_install(mut command: Command) -> Command {
    command.args(["service", "install", "--repository", ".", "--upload", "http://127.0.0.1:7979"]);
    command.args(["--token-file", "token"]);
    command
}

/// Whether a service is installed on this very machine, so that what a test does could harm it.
fn is_installed(folder: &Path) -> bool {
    let status = printed_json(&ran(folder, &["service", "status", "--format", "json"]));
    let is_installed = status["state"] != "not-installed";
    if is_installed {
        println!("not run, because this machine has a service: {status}");
    }
    is_installed
}

#[test]
fn every_system_is_told_on_every_other_and_no_file_or_command_holds_the_token() {
    let folder = repository();
    // That of macOS runs as the owner of the checkout, who may be root here.
    for system in ["freebsd", "linux", "windows"] {
        let listing =
            printed(&install(folder.path()).args(["--print", "--system", system]).output().unwrap());
        let token = folder.path().join("token");
        assert!(listing.contains(&*token.to_string_lossy()), "{system}: {listing}");
        assert!(!listing.contains("rt_agent_secret"), "{system}: {listing}");
        assert!(!listing.contains("{{"), "{system}: {listing}");
    }
    refused(&install(folder.path()).args(["--system", "linux"]).output().unwrap(), 2, &[]);
}

#[test]
fn what_is_not_installed_is_not_removed() {
    let folder = repository();
    if is_installed(folder.path()) {
        return;
    }
    let words = "is not installed: there is nothing to remove";
    refused(&ran(folder.path(), &["service", "uninstall"]), 1, &[words]);
    let text = printed(&ran(folder.path(), &["service", "status"]));
    assert!(text.trim_end().ends_with(": not installed"), "{text}");
}

#[cfg(unix)]
#[test]
fn without_the_rights_of_the_system_nothing_is_installed_and_it_says_how_to_get_them() {
    use crate::started;
    use roundtrip_bench::harness::PeerCommand;
    use std::fs::{self, Permissions};
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    /// `nobody` on Linux, and nobody's anywhere else.
    const NOBODY: u32 = 65_534;
    let folder = repository();
    if is_installed(folder.path()) {
        return;
    }
    let mut command = install(folder.path());
    if is_root() {
        // Another user may not reach it where it is. Rather a link than a copy: what a process that another test just starts
        // still has open to write cannot be run.
        let built = Path::new(env!("CARGO_BIN_EXE_roundtrip"));
        let within_reach = folder.path().join("roundtrip");
        fs::hard_link(built, &within_reach).or_else(|_| fs::copy(built, &within_reach).map(drop)).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        command = arguments_of_install(started(&PeerCommand::new(within_reach, None), folder.path()));
        command.uid(NOBODY);
    }
    refused(&command.output().unwrap(), 1, &["run it with sudo", "--print"]);
}

#[cfg(unix)]
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

#[test]
fn a_value_that_no_file_can_hold_is_refused() {
    let folder = repository();
    refused(&install(folder.path()).args(["--print", "--preset", "a\nb.toml"]).output().unwrap(), 2, &[]);
    let install = ["service", "install", "--print", "--upload", "http://a", "--token-file", "c"];
    let output = ran(folder.path(), &[&install[..], &["--repository", "a\nb"]].concat());
    refused(&output, 2, &["control character"]);
}
