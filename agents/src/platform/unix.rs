//! What Linux, macOS and FreeBSD have in common.

use super::Work;
use crate::agent::inbox;
use crate::failure::Failure;
use crate::service::windows;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

pub(super) const TO_BE_ADMINISTRATOR: &str = "run it with sudo";

/// Of group and others: read, write, execute.
const OTHERS: u32 = 0o077;

pub(super) fn serve(work: Work) -> crate::Result<()> {
    work(inbox::until_signalled()?)
}

pub(super) fn ordinary_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(0o666))
}

pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

pub(super) fn others_may_read(path: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(path)?.mode() & OTHERS != 0)
}

/// By id(1): user names need not be in a file, and it asks all that hold some.
pub(super) fn owner(path: &Path) -> io::Result<String> {
    let user = std::fs::metadata(path)?.uid().to_string();
    let output = Command::new("id").args(["-un", &user]).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(io::Error::other(format!("no user has the number {user}")))
}

pub(super) fn is_administrator() -> bool {
    rustix::process::geteuid().is_root()
}

pub(super) fn control(_request: &windows::Request) -> crate::Result<()> {
    Err(Failure::Other("only Windows has a service control manager".into()))
}

pub(super) fn controlled() -> crate::Result<Option<u32>> {
    Err(Failure::Other("only Windows has a service control manager".into()))
}
