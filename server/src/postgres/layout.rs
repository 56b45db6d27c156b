//! What lies where in the data directory, and the permissions it has.

use super::{PORT, account::Account};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The systems allow 104 or 108 bytes for the path of a socket.
const SOCKET_PATH_BYTES_MAX: usize = 100;
const ONLY_OWNER: u32 = 0o700;

/// A data directory that exists and that PostgreSQL's user can enter.
#[derive(Debug)]
pub(crate) struct Layout {
    data_dir: PathBuf,
    socket_dir: PathBuf,
}

impl Layout {
    /// Makes the data directory and the socket's, if they are missing.
    ///
    /// # Errors
    /// It is no directory, cannot be made, or PostgreSQL's user cannot enter it.
    pub(crate) fn prepare(data_dir: &Path, account: &Account) -> Result<Self> {
        let shown = data_dir.display();
        if !data_dir.is_dir() {
            // Before anything is made where it cannot be used.
            if let Some(existing) = data_dir.ancestors().find(|directory| directory.is_dir()) {
                account.check_can_enter(existing)?;
            }
            std::fs::create_dir_all(data_dir)
                .with_context(|| format!("cannot make the data directory {shown}"))?;
            // Another user must pass through it; of this user's own data nobody needs to know.
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

    /// The directory itself, without links in its path.
    pub(crate) fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Where PostgreSQL's socket is.
    pub(crate) fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// PostgreSQL's files.
    pub(crate) fn cluster(&self) -> PathBuf {
        cluster_of(&self.data_dir)
    }

    /// PostgreSQL's files while they are made.
    pub(crate) fn partial_cluster(&self) -> PathBuf {
        self.data_dir.join("postgres.partial")
    }

    /// Held by the server.
    pub(crate) fn server_lock(&self) -> PathBuf {
        self.data_dir.join("server.lock")
    }

    /// Held by PostgreSQL and its guard.
    pub(crate) fn tree_lock(&self) -> PathBuf {
        self.data_dir.join("postgres.lock")
    }

    /// PostgreSQL's log since its last start.
    pub(crate) fn log(&self) -> PathBuf {
        self.data_dir.join("postgres.log")
    }

    /// Begins a new log and keeps the one before.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn start_log(&self) -> Result<File> {
        let path = self.log();
        match std::fs::rename(&path, path.with_extension("log.previous")) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot put {} aside", path.display()))
            }
            _ => OpenOptions::new()
                .create(true)
                .append(true)
                .mode(0o600)
                .open(&path)
                .with_context(|| format!("cannot make PostgreSQL's log {}", path.display())),
        }
    }

    /// PostgreSQL's own note of which process runs in its directory.
    pub(crate) fn pid_file(&self) -> PathBuf {
        self.cluster().join("postmaster.pid")
    }

    /// Removes the notes of a PostgreSQL that was killed. Only whoever holds the tree lock may do this: then none
    /// of its processes is left, and a process with a number from these notes is another one.
    ///
    /// # Errors
    /// A note cannot be removed.
    pub(crate) fn remove_traces_of_the_dead(&self) -> Result<()> {
        let pid_file = self.pid_file();
        if self.is_of_this_server(&pid_file) {
            remove(&pid_file)?;
        }
        let socket = socket_in(&self.socket_dir);
        remove(&socket)?;
        remove(&socket.with_added_extension("lock"))
    }

    /// Leaves nothing in the temporary directory.
    pub(crate) fn remove_outer_socket_dir(&self) {
        if !self.socket_dir.starts_with(&self.data_dir) {
            // What is left there is empty and private, and the next start uses it.
            let _ = std::fs::remove_dir(&self.socket_dir);
        }
    }

    /// PostgreSQL could have been started on these files by hand, without the lock. Its note tells by the socket's
    /// directory, on its fifth line; then PostgreSQL itself judges whether it still runs.
    fn is_of_this_server(&self, pid_file: &Path) -> bool {
        let Ok(text) = std::fs::read(pid_file) else { return false };
        let socket_dir = text.split(|byte| *byte == b'\n').nth(4).unwrap_or_default();
        socket_dir.is_empty() || socket_dir == self.socket_dir.as_os_str().as_bytes()
    }
}

/// PostgreSQL's files in a data directory.
pub(crate) fn cluster_of(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres")
}

/// Where the socket of a data directory is: inside, unless the system cannot take a path that long. The data
/// directory must be without links in its path, so that everyone finds the same place.
pub(crate) fn socket_dir_of(data_dir: &Path) -> PathBuf {
    let inside = data_dir.join("run");
    if socket_in(&inside).as_os_str().len() <= SOCKET_PATH_BYTES_MAX {
        return inside;
    }
    let hash = Sha256::digest(data_dir.as_os_str().as_bytes());
    let name = hex::encode(&hash[..8]);
    // Not the user's own temporary directory, which may be as long.
    Path::new("/tmp").join(format!("roundtrip-{name}"))
}

fn socket_in(socket_dir: &Path) -> PathBuf {
    socket_dir.join(format!(".s.PGSQL.{PORT}"))
}

/// Whoever can enter the directory of the socket can use the database, so that only its owner may.
fn prepare_socket_dir(path: &Path, account: &Account) -> Result<()> {
    let shown = path.display();
    match DirBuilder::new().mode(ONLY_OWNER).create(path) {
        Ok(()) => account.own(path)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(|| format!("cannot make the directory {shown}")),
    }
    let metadata = path.symlink_metadata().with_context(|| format!("cannot look at {shown}"))?;
    // Anyone can make a directory in /tmp: one of someone else would hand the database over.
    let private = metadata.permissions().mode() & 0o077 == 0;
    if !metadata.is_dir() || metadata.uid() != account.user_id() || !private {
        bail!(
            "{shown} is no directory that only the user {account} can enter: remove it, it holds nothing but \
             PostgreSQL's socket"
        );
    }
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_of_a_deep_directory_is_elsewhere_and_always_at_the_same_place() {
        assert_eq!(socket_dir_of(Path::new("/var/lib/roundtrip")), Path::new("/var/lib/roundtrip/run"));
        let deep = PathBuf::from(format!("/{}", "deep/".repeat(30)));
        let socket_dir = socket_dir_of(&deep);
        assert!(socket_in(&socket_dir).as_os_str().len() <= SOCKET_PATH_BYTES_MAX);
        assert_eq!(socket_dir, socket_dir_of(&deep));
        assert_ne!(socket_dir, socket_dir_of(&deep.join("other")));
    }
}
