//! `roundtrip site`: finding the server's program. Its own tests are in `server/tests/process/site.rs`.

use crate::{assert_contains, started};
use roundtrip_bench::harness::PeerCommand;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

/// The output of `site` from a copy of the command in a folder, without other programs in the path.
fn site(folder: &Path, arguments: &[&str]) -> Output {
    let copy = folder.join("roundtrip");
    let original = env!("CARGO_BIN_EXE_roundtrip");
    fs::hard_link(original, &copy).or_else(|_| fs::copy(original, &copy).map(drop)).unwrap();
    let mut command = started(&PeerCommand::new(copy, None), folder);
    command.arg("site").args(arguments).env("PATH", "/nowhere").output().unwrap()
}

#[test]
fn site_passes_arguments_and_failure_of_the_program_next_to_it() {
    for (script, code, printed) in [
        ("#!/bin/sh\necho \"$*\"\n", 0, "site reports --output a folder\n"),
        ("#!/bin/sh\necho 'error: no reports' >&2\nexit 1\n", 1, ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = folder.path().join("roundtrip-server");
        fs::write(&server, script).unwrap();
        fs::set_permissions(&server, Permissions::from_mode(0o755)).unwrap();
        let output = site(folder.path(), &["reports", "--output", "a folder"]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed);
        // The reason is printed once, by the program that knows it.
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors, if code == 0 { "" } else { "error: no reports\n" });
    }
}

#[test]
fn site_without_the_program_names_how_to_install_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = site(folder.path(), &["reports", "--output", "site"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_contains(&errors, &["cannot find roundtrip-server", "install.sh --server"]);
}
