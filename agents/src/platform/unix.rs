//! Code shared by Linux, macOS and FreeBSD.

use super::{Limits, ServiceRequest, Work};
use crate::failure::Failure;
use crate::stop;
use rustix::process::{Pid, Resource, Rlimit, Signal, geteuid, kill_process, setrlimit};
use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) const TO_BE_ADMINISTRATOR: &str = "run it with sudo";

/// Read, write and execute permissions of group and others.
const OTHERS: u32 = 0o077;

pub(crate) fn serve(work: Work) -> crate::Result<()> {
    work(stop::until_signalled()?)
}

pub(crate) fn ordinary_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(0o666))
}

pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).mode(0o600).open(path)
}

pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

pub(crate) fn others_may_read(path: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(path)?.mode() & OTHERS != 0)
}

/// Uses id(1), because user names may come from other sources than a file.
pub(crate) fn owner(path: &Path) -> io::Result<String> {
    let user = std::fs::metadata(path)?.uid().to_string();
    let output = Command::new("id").args(["-un", &user]).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(io::Error::other(format!("no user with ID {user}")))
}

pub(crate) fn is_administrator() -> bool {
    geteuid().is_root()
}

pub(crate) fn control(_request: &ServiceRequest) -> crate::Result<()> {
    Err(Failure::Other("only Windows has a service control manager".into()))
}

pub(crate) fn controlled() -> crate::Result<Option<u32>> {
    Err(Failure::Other("only Windows has a service control manager".into()))
}

pub(crate) fn can_confine() -> Result<(), String> {
    if is_administrator() { Ok(()) } else { Err("only root can run commands as another user".into()) }
}

/// Uses id(1), like [`owner()`]. As for chown(1), a number is a user with or without a name; without one, its
/// group has the same number.
pub(crate) fn user(name: &str) -> io::Result<(u32, u32)> {
    let number = |of: &str| {
        let output = Command::new("id").args([of, "--", name]).stderr(Stdio::null()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().map_err(|_| io::Error::other("no such user"))
    };
    match (number("-u"), name.parse()) {
        (Err(_), Ok(unnamed)) => Ok((unnamed, unnamed)),
        (named, _) => Ok((named?, number("-g")?)),
    }
}

fn limit(limits: Limits) -> io::Result<()> {
    let set = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    set(Resource::As, limits.memory_bytes)?;
    set(Resource::Fsize, limits.file_bytes)?;
    set(Resource::Nproc, limits.processes)?;
    Ok(set(Resource::Core, 0)?)
}

/// The user is changed last, so that it cannot undo the other settings.
pub(crate) fn become_user(limits: Limits, mut command: Command) -> io::Error {
    if let Err(error) = limit(limits) {
        return error;
    }
    // Before exec(2), std also drops the supplementary groups when it changes the user as root.
    command.uid(limits.user_id).gid(limits.group_id).exec()
}

/// The folder for locks on all systems, cleared at boot and writable only by root (hier(7)).
pub(crate) fn lock_of_user(user_id: u32) -> PathBuf {
    Path::new("/var/run").join(format!("roundtrip-job-{user_id}.lock"))
}

pub(crate) fn can_update() -> Result<(), String> {
    Ok(())
}

pub(crate) fn become_program(mut command: Command) -> io::Error {
    command.exec()
}

pub(crate) fn end_all_of(user_id: u32, group_id: u32) {
    // As root, kill(-1) would kill everything. The calling process has dropped its privileges, and dies with
    // the others.
    if user_id == 0 || !geteuid().is_root() {
        return;
    }
    let mut kill = Command::new("/bin/kill");
    kill.args(["-KILL", "--", "-1"]).uid(user_id).gid(group_id);
    let _ = kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

pub(crate) fn is_channel(path: &Path) -> io::Result<bool> {
    let kind = std::fs::metadata(path)?.file_type();
    Ok(kind.is_fifo() || kind.is_socket())
}

pub(crate) fn ask_to_end(child: &Child) -> io::Result<()> {
    Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_users_by_name_or_number() {
        assert_eq!(user("root").unwrap(), (0, 0));
        assert_eq!(user("0").unwrap(), (0, 0));
        assert_eq!(user("65520").unwrap(), (65_520, 65_520));
        assert!(user("roundtrip-has-no-such-user").is_err());
    }
}
