//! Differences between operating systems: folders, permissions and process groups.

use anyhow::{Context, Result};
use etcetera::BaseStrategy;
use shared_child::SharedChild;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The server's default data folder.
pub(crate) fn data_folder() -> Result<PathBuf> {
    if is_root() {
        return Ok(PathBuf::from("/var/lib/roundtrip"));
    }
    Ok(base_folders()?.data_dir().join("roundtrip"))
}

pub(crate) fn cache_folder() -> Result<PathBuf> {
    if is_root() {
        return Ok(PathBuf::from("/var/cache/roundtrip"));
    }
    Ok(base_folders()?.cache_dir().join("roundtrip"))
}

/// Removes a folder with its contents, if it exists.
pub(crate) fn remove_folder(folder: &Path) -> Result<()> {
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// True for the superuser. PostgreSQL refuses to run as root, so the server starts it as another user. That
/// user must be able to reach its programs and data, so both are under /var and not under /root.
pub(crate) fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

/// Shields the child from the terminal's Ctrl-C: this program stops it in order.
pub(crate) fn in_own_process_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
    }
}

/// Asks all processes of `child`'s process group to end, or kills them.
pub(crate) fn end_process_group(child: &SharedChild, kill: bool) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = if kill { Signal::KILL } else { Signal::TERM };
        if let Some(leader) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // It only fails if all have already ended.
            let _ = kill_process_group(leader, signal);
        }
    }
    #[cfg(not(unix))]
    {
        // Descendants cannot be ended here.
        let _ = (kill, child.kill());
    }
}

/// Creates a data folder for this user only; as root, PostgreSQL's user may also traverse it.
pub(crate) fn create_data_folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, if is_root() { 0o755 } else { 0o700 });
    builder.recursive(true).create(path).with_context(|| format!("cannot create {}", path.display()))
}

/// Sends a program the signal of Ctrl-C.
pub(crate) fn send_interrupt(process_id: u32) -> Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let pid = i32::try_from(process_id).ok().and_then(Pid::from_raw).context("no such process")?;
        kill_process(pid, Signal::INT).with_context(|| format!("cannot interrupt process {process_id}"))
    }
    #[cfg(not(unix))]
    anyhow::bail!("cannot interrupt process {process_id} on this system")
}

/// Lets every user read a folder with its contents, and run executable files in it.
pub(crate) fn open_to_all_users(path: &Path) -> Result<()> {
    if path.is_symlink() {
        return Ok(());
    }
    make_reachable(path)?;
    if path.is_dir() {
        for entry in fs_err::read_dir(path)? {
            open_to_all_users(&entry?.path())?;
        }
    }
    Ok(())
}

pub(crate) fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    fs_err::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Lets every user read a file, or enter a folder.
pub(crate) fn make_reachable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs_err::metadata(path)?.permissions().mode();
        let run_by_all = if mode & 0o100 == 0 { 0 } else { 0o111 };
        fs_err::set_permissions(path, PermissionsExt::from_mode(mode | 0o444 | run_by_all))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Makes `link` another name for the file `name` in its folder.
pub(crate) fn link(name: &Path, link: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(name, link);
    #[cfg(not(unix))]
    return std::fs::copy(link.with_file_name(name), link).map(drop);
}

fn base_folders() -> Result<impl BaseStrategy> {
    etcetera::choose_base_strategy().context("unknown home directory. Set HOME.")
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn ends_descendants_with_their_group() {
        use super::*;
        use std::io::{BufRead, BufReader, Read};
        use std::process::Stdio;
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo started; wait"]).stdin(Stdio::null()).stdout(Stdio::piped());
        in_own_process_group(&mut command);
        let child = SharedChild::spawn(&mut command).unwrap();
        let mut output = BufReader::new(child.take_stdout().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        end_process_group(&child, false);
        // The pipe closes when both processes have ended.
        output.read_to_string(&mut line).unwrap();
        assert!(!child.wait().unwrap().success());
    }
}
