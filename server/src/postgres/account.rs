//! The user PostgreSQL runs as. It refuses to run as root, so that root lends it another user.

use anyhow::{Context, Result, bail};
use nix::unistd::{Uid, User};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whom root lends to PostgreSQL, the first that exists.
const LENT_BY_ROOT: [&str; 2] = ["postgres", "nobody"];

/// A user who runs PostgreSQL's programs.
#[derive(Debug)]
pub(crate) struct Account {
    /// Set if it is another user than this process.
    other: Option<User>,
}

impl Account {
    /// This process's own user; for root, the owner of the files in `cluster`, else one who is nobody special.
    ///
    /// # Errors
    /// This process is root, and the files are root's own or no other user exists.
    pub(crate) fn for_cluster(cluster: &Path) -> Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self { other: None });
        }
        if let Ok(metadata) = cluster.join("PG_VERSION").metadata() {
            return Self::owner_of(cluster, &metadata);
        }
        for name in LENT_BY_ROOT {
            if let Some(user) = User::from_name(name).with_context(|| format!("cannot look up {name}"))? {
                return Ok(Self { other: Some(user) });
            }
        }
        bail!(
            "PostgreSQL refuses to run as root, and there is no user postgres or nobody: run as another user"
        )
    }

    fn owner_of(cluster: &Path, metadata: &Metadata) -> Result<Self> {
        let shown = cluster.display();
        if metadata.uid() == 0 {
            bail!(
                "{shown} belongs to root, as whom PostgreSQL refuses to run: give it to another user with \
                 `chown -R postgres {shown}`"
            );
        }
        let user = User::from_uid(Uid::from_raw(metadata.uid()))
            .with_context(|| format!("cannot look up the owner of {shown}"))?
            .with_context(|| {
                format!("{shown} belongs to the user {}, who does not exist here", metadata.uid())
            })?;
        Ok(Self { other: Some(user) })
    }

    /// Lets `command` run as this user.
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Some((user_id, group_id)) = self.ids() {
            run_as(command, user_id, group_id);
        }
        prepare(command);
    }

    /// User and group, if it is another user.
    pub(crate) fn ids(&self) -> Option<(u32, u32)> {
        self.other.as_ref().map(|user| (user.uid.as_raw(), user.gid.as_raw()))
    }

    /// Makes this user the owner of a directory.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn own(&self, path: &Path) -> Result<()> {
        let Some((user_id, group_id)) = self.ids() else { return Ok(()) };
        std::os::unix::fs::chown(path, Some(user_id), Some(group_id))
            .with_context(|| format!("cannot give {} to the user {self}", path.display()))
    }

    /// The numeric id of this user.
    pub(crate) fn user_id(&self) -> u32 {
        self.ids().map_or_else(|| rustix::process::geteuid().as_raw(), |(user_id, _)| user_id)
    }

    /// Checks that this user can enter `directory` and everything above it.
    ///
    /// # Errors
    /// A sentence that names what it cannot enter.
    pub(crate) fn check_can_enter(&self, directory: &Path) -> Result<()> {
        if self.other.is_none() {
            return Ok(());
        }
        match self.first_barrier(directory)? {
            Some(barrier) => bail!(
                "PostgreSQL runs as the user {self}, who cannot enter {}: choose a --data-dir that every user can \
                 reach, such as /var/lib/roundtrip, or open it with `chmod o+x`",
                barrier.display()
            ),
            None => Ok(()),
        }
    }

    fn first_barrier(&self, directory: &Path) -> Result<Option<PathBuf>> {
        let mut above: Vec<&Path> = directory.ancestors().collect();
        above.reverse();
        for directory in above {
            let metadata =
                directory.metadata().with_context(|| format!("cannot look at {}", directory.display()))?;
            if !self.may_enter(&metadata) {
                return Ok(Some(directory.to_path_buf()));
            }
        }
        Ok(None)
    }

    fn may_enter(&self, metadata: &Metadata) -> bool {
        let Some((user_id, group_id)) = self.ids() else { return true };
        let needed = if metadata.uid() == user_id {
            0o100
        } else if metadata.gid() == group_id {
            0o010
        } else {
            0o001
        };
        metadata.permissions().mode() & needed != 0
    }
}

impl std::fmt::Display for Account {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.other {
            Some(user) => formatter.write_str(&user.name),
            None => write!(formatter, "{}", self.user_id()),
        }
    }
}

/// Lets `command` run as this user and group. The standard library drops root's further groups along with it.
pub(crate) fn run_as(command: &mut Command, user_id: u32, group_id: u32) {
    command.uid(user_id).gid(group_id);
}

/// Gives `command` the environment and the working directory of PostgreSQL's programs.
pub(crate) fn prepare(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_read_by_postgres(name)) {
        command.env_remove(name);
    }
    // What they say is read, so it must be in one language. The directory is one that every user can enter.
    command.env("LC_ALL", "C").current_dir("/");
}

/// PostgreSQL's programs take settings from such variables, and the server's user did not mean this PostgreSQL.
fn is_read_by_postgres(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with("PG"))
}
