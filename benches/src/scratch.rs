//! Folders for channels that need a path. Each name contains the process that created it, so that the next run can find
//! and remove the leftovers of a killed one.

use crate::sys::liveness;
use std::io;
use std::path::Path;
use tempfile::TempDir;

const PREFIX: &str = "roundtrip-channel-";

/// Creates a private folder that is removed when dropped.
pub fn folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempdir()
}

/// The text of a path in such a folder.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        io::Error::other(format!("the path of the temporary folder {} is not UTF-8", path.display()))
    })
}

/// Removes the folders of dead processes.
pub fn sweep() {
    for entry in liveness::leftovers(PREFIX) {
        // Another user's folder cannot be removed.
        let _ = std::fs::remove_dir_all(entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer_command::PeerCommand;

    #[test]
    fn removes_folders_of_dead_processes_only() {
        // This program with an argument that makes it end immediately, because not every system has a program for that.
        let mut list = PeerCommand::new(std::env::current_exe().unwrap(), None).command();
        let mut dead = list.arg("--list").stdout(std::process::Stdio::null()).spawn().unwrap();
        dead.wait().unwrap();
        let left = std::env::temp_dir().join(format!("{PREFIX}{}-x", dead.id()));
        std::fs::create_dir_all(&left).unwrap();
        let ours = folder().unwrap();
        sweep();
        assert!(!left.exists());
        assert!(ours.path().exists());
    }
}
