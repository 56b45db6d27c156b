//! Paths and permissions in the data directory.

use super::{PORT, account::Account};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Operating systems allow 104 or 108 bytes for the path of a socket.
const SOCKET_PATH_BYTES_MAX: usize = 100;
const ONLY_OWNER: u32 = 0o700;

/// An existing data directory that PostgreSQL's user can enter.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The directory, without symbolic links in its path.
    pub(super) data_dir: PathBuf,
    /// The directory of PostgreSQL's socket.
    pub(super) socket_dir: PathBuf,
}

impl Layout {
    /// Creates the data directory and the socket's, if missing.
    pub(crate) fn prepare(data_dir: &Path, account: &Account) -> Result<Self> {
        let shown = data_dir.display();
        if !data_dir.is_dir() {
            // Checked before creating anything that could not be used.
            if let Some(existing) = data_dir.ancestors().find(|directory| directory.is_dir()) {
                account.check_can_enter(existing)?;
            }
            std::fs::create_dir_all(data_dir)
                .with_context(|| format!("cannot create the data directory {shown}"))?;
            // PostgreSQL's user must be able to enter it. The server's own files are private.
            let mode = if account.ids().is_some() { 0o755 } else { ONLY_OWNER };
            std::fs::set_permissions(data_dir, Permissions::from_mode(mode))
                .with_context(|| format!("cannot set the permissions of {shown}"))?;
        }
        let data_dir = data_dir.canonicalize().with_context(|| format!("cannot resolve {shown}"))?;
        account.check_can_enter(&data_dir)?;
        let socket_dir = socket_dir_of(&data_dir);
        prepare_socket_dir(&socket_dir, account)?;
        Ok(Self { data_dir, socket_dir })
    }

    /// PostgreSQL's database files.
    pub(crate) fn cluster(&self) -> PathBuf {
        cluster_of(&self.data_dir)
    }

    /// PostgreSQL's database files during creation.
    pub(crate) fn partial_cluster(&self) -> PathBuf {
        self.data_dir.join("postgres.partial")
    }

    /// The lock file of the server.
    pub(crate) fn server_lock(&self) -> PathBuf {
        self.data_dir.join("server.lock")
    }

    /// The lock file of PostgreSQL and its guard.
    pub(crate) fn tree_lock(&self) -> PathBuf {
        self.data_dir.join("postgres.lock")
    }

    /// PostgreSQL's log since its last start.
    pub(crate) fn log(&self) -> PathBuf {
        self.data_dir.join("postgres.log")
    }

    /// Starts a new log and keeps the previous one.
    pub(crate) fn start_log(&self) -> Result<File> {
        let path = self.log();
        ignore_missing(std::fs::rename(&path, path.with_extension("log.previous")))
            .with_context(|| format!("cannot rename {}", path.display()))?;
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("cannot create PostgreSQL's log {}", path.display()))
    }

    /// PostgreSQL's file with the id of its process.
    pub(crate) fn pid_file(&self) -> PathBuf {
        self.cluster().join("postmaster.pid")
    }

    /// Removes the process files of a killed PostgreSQL. The caller must hold the tree lock, so that none of its
    /// processes is left: a process with an id from these files is then another one.
    pub(crate) fn remove_stale_files(&self) -> Result<()> {
        let pid_file = self.pid_file();
        if self.is_of_this_server(&pid_file) {
            remove(&pid_file)?;
        }
        let socket = socket_in(&self.socket_dir);
        remove(&socket)?;
        remove(&socket.with_added_extension("lock"))
    }

    /// Removes the socket's directory if it is outside of the data directory.
    pub(crate) fn remove_outer_socket_dir(&self) {
        if !self.socket_dir.starts_with(&self.data_dir) {
            // If this fails, the directory that stays is private, and the next start uses it.
            let _ = std::fs::remove_dir(&self.socket_dir);
        }
    }

    /// Whether `postmaster.pid` belongs to this server. A PostgreSQL started by hand, without the lock, has another
    /// socket directory in the fifth line, and PostgreSQL itself checks whether it is still running.
    fn is_of_this_server(&self, pid_file: &Path) -> bool {
        let Ok(text) = std::fs::read(pid_file) else { return false };
        let socket_dir = text.split(|byte| *byte == b'\n').nth(4).unwrap_or_default();
        socket_dir.is_empty() || socket_dir == self.socket_dir.as_os_str().as_bytes()
    }
}

/// The path of PostgreSQL's database files in a data directory.
pub(crate) fn cluster_of(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres")
}

/// The socket's directory: inside the data directory, unless its path is too long for the operating system. The data
/// directory must have no symbolic links in its path, so that every program finds the same place.
pub(crate) fn socket_dir_of(data_dir: &Path) -> PathBuf {
    let inside = data_dir.join("run");
    if socket_in(&inside).as_os_str().len() <= SOCKET_PATH_BYTES_MAX {
        return inside;
    }
    let hash = Sha256::digest(data_dir.as_os_str().as_bytes());
    let name = hex::encode(&hash[..8]);
    // Not the user's temporary directory, whose path may also be too long.
    Path::new("/tmp").join(format!("roundtrip-{name}"))
}

fn socket_in(socket_dir: &Path) -> PathBuf {
    socket_dir.join(format!(".s.PGSQL.{PORT}"))
}

/// Makes the socket's directory private. Any user that can enter it can use the database.
fn prepare_socket_dir(path: &Path, account: &Account) -> Result<()> {
    let shown = path.display();
    match DirBuilder::new().mode(ONLY_OWNER).create(path) {
        Ok(()) => account.own(path)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(|| format!("cannot create the directory {shown}")),
    }
    let metadata = path.symlink_metadata().with_context(|| format!("cannot read the metadata of {shown}"))?;
    // Any user can create a directory in /tmp. Using another user's directory would give them the database.
    let private = metadata.permissions().mode() & 0o077 == 0;
    if !metadata.is_dir() || metadata.uid() != account.user_id() || !private {
        bail!(
            "expected {shown} to be a directory that only the user {account} can enter. Remove it: it contains only \
             PostgreSQL's socket"
        );
    }
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    ignore_missing(std::fs::remove_file(path)).with_context(|| format!("cannot remove {}", path.display()))
}

/// Succeeds also if there was no file.
pub(crate) fn ignore_missing(result: std::io::Result<()>) -> std::io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_of_a_deep_directory_has_a_stable_path() {
        assert_eq!(socket_dir_of(Path::new("/var/lib/roundtrip")), Path::new("/var/lib/roundtrip/run"));
        let deep = PathBuf::from(format!("/{}", "deep/".repeat(30)));
        let socket_dir = socket_dir_of(&deep);
        assert!(socket_in(&socket_dir).as_os_str().len() <= SOCKET_PATH_BYTES_MAX);
        assert_eq!(socket_dir, socket_dir_of(&deep));
        assert_ne!(socket_dir, socket_dir_of(&deep.join("other")));
    }
}
