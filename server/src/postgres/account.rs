//! The user that runs PostgreSQL. PostgreSQL refuses to run as root, so root uses another user.

use anyhow::{Context, Result, bail};
use nix::unistd::{Uid, User};
use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Users for PostgreSQL if this process is root. The first existing one is used.
const LENT_BY_ROOT: [&str; 2] = ["postgres", "nobody"];

/// The user that runs PostgreSQL's programs.
#[derive(Debug)]
pub(crate) struct Account {
    /// Set if it is not the user of this process.
    other: Option<User>,
}

impl Account {
    /// The user of this process. For root, the owner of the files in `cluster`, else an unprivileged user.
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
            // The user is called nobody. prose: allow
            "PostgreSQL does not run as root, and there is no user postgres or nobody. Run the server as another user"
        )
    }

    fn owner_of(cluster: &Path, metadata: &Metadata) -> Result<Self> {
        let shown = cluster.display();
        if metadata.uid() == 0 {
            bail!(
                "{shown} belongs to root, but PostgreSQL does not run as root: give it to another user with \
                 `chown -R postgres {shown}`"
            );
        }
        let user = User::from_uid(Uid::from_raw(metadata.uid()))
            .with_context(|| format!("cannot look up the owner of {shown}"))?
            .with_context(|| {
                format!(
                    "{shown} belongs to the user ID {}, which does not exist on this system",
                    metadata.uid()
                )
            })?;
        Ok(Self { other: Some(user) })
    }

    /// Makes `command` run as this user.
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Some((user_id, group_id)) = self.ids() {
            run_as(command, user_id, group_id);
        }
        prepare(command);
    }

    /// User and group, if it is not the user of this process.
    pub(crate) fn ids(&self) -> Option<(u32, u32)> {
        self.other.as_ref().map(|user| (user.uid.as_raw(), user.gid.as_raw()))
    }

    /// Makes this user the owner of a directory.
    pub(crate) fn own(&self, path: &Path) -> Result<()> {
        let Some((user_id, group_id)) = self.ids() else { return Ok(()) };
        std::os::unix::fs::chown(path, Some(user_id), Some(group_id))
            .with_context(|| format!("cannot change the owner of {} to {self}", path.display()))
    }

    /// The numeric id of this user.
    pub(crate) fn user_id(&self) -> u32 {
        self.ids().map_or_else(|| rustix::process::geteuid().as_raw(), |(user_id, _)| user_id)
    }

    /// Checks that this user can enter `directory` and its parents.
    pub(crate) fn check_can_enter(&self, directory: &Path) -> Result<()> {
        if self.other.is_none() {
            return Ok(());
        }
        for directory in directory.ancestors().collect::<Vec<_>>().into_iter().rev() {
            let shown = directory.display();
            let metadata =
                directory.metadata().with_context(|| format!("cannot read the metadata of {shown}"))?;
            if !self.may_enter(&metadata) {
                bail!(
                    "PostgreSQL runs as the user {self}, who cannot enter {shown}: choose a --data-dir that every user \
                     can reach, such as /var/lib/roundtrip, or open it with `chmod o+x`"
                );
            }
        }
        Ok(())
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

/// Makes `command` run as this user and group. The standard library also drops root's other groups.
pub(crate) fn run_as(command: &mut Command, user_id: u32, group_id: u32) {
    command.uid(user_id).gid(group_id);
}

/// Sets the environment and working directory of a PostgreSQL program.
pub(crate) fn prepare(command: &mut Command) {
    // PostgreSQL's programs read these variables, which the user set for another PostgreSQL.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
        command.env_remove(name);
    }
    // The output is parsed, so the language is fixed. Every user can read the directory.
    command.env("LC_ALL", "C").current_dir("/");
}
