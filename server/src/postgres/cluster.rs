//! PostgreSQL's database files. They are created completely or not at all, and used only if complete and of the right
//! version.

use super::account::Account;
use super::diagnostics;
use super::guarded::Guarded;
use super::layout::{Layout, ignore_missing};
use super::locate::{MajorVersion, Programs};
use super::lock::TreeLock;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The PostgreSQL version of the files in `cluster`; `None` if there are no files.
/// Incomplete files are an error, and are not changed.
pub(crate) fn version(cluster: &Path) -> Result<Option<MajorVersion>> {
    let shown = cluster.display();
    let is_empty = match cluster.read_dir() {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => return Err(error).with_context(|| format!("cannot list {shown}")),
    };
    if is_empty {
        return Ok(None);
    }
    for needed in ["PG_VERSION", "global/pg_control"] {
        if !cluster.join(needed).is_file() {
            bail!(
                "{shown} holds files but no whole PostgreSQL ({needed} is missing), so it was left untouched: \
                 restore it from a backup, or move it away to start with an empty database"
            );
        }
    }
    let text = std::fs::read_to_string(cluster.join("PG_VERSION"))
        .with_context(|| format!("cannot read {shown}/PG_VERSION"))?;
    let version = text.trim().parse().with_context(|| {
        format!("{shown}/PG_VERSION contains {:?}: expected a major version", text.trim())
    })?;
    Ok(Some(version))
}

/// Checks that `programs` can use files of `version`.
pub(crate) fn check_version(cluster: &Path, version: MajorVersion, programs: &Programs) -> Result<()> {
    if version == programs.version {
        return Ok(());
    }
    let (shown, found, folder) = (cluster.display(), programs.version, programs.folder.display());
    let upgrade = if version < found {
        format!(
            ", or upgrade the files with `pg_upgrade --old-bindir=FOLDER_OF_{version} --new-bindir={folder} \
             --old-datadir={shown} --new-datadir=NEW_FOLDER --username=roundtrip`"
        )
    } else {
        String::new()
    };
    bail!(
        "{shown} was made by PostgreSQL {version}, but {folder} holds PostgreSQL {found}: set ROUNDTRIP_PG_BIN to \
         the programs of PostgreSQL {version}{upgrade}"
    )
}

/// Creates the database files under a temporary name first, so that the final name is always complete.
/// If it fails, nothing is left behind.
pub(crate) async fn create(
    layout: &Layout,
    account: &Account,
    programs: &Programs,
    lock: &TreeLock,
) -> Result<()> {
    let (partial, cluster) = (layout.partial_cluster(), layout.cluster());
    tracing::info!("creating a new database in {}", cluster.display());
    remove_all(&partial)?;
    let made = initialise(&partial, layout, account, programs, lock).await;
    if made.is_err() {
        remove_all(&partial)?;
    }
    made?;
    std::fs::rename(&partial, &cluster)
        .with_context(|| format!("cannot rename {} to {}", partial.display(), cluster.display()))?;
    // initdb has synced its files to disk, but not the new name.
    File::open(&layout.data_dir)
        .and_then(|directory| directory.sync_all())
        .with_context(|| format!("cannot sync {} to disk", layout.data_dir.display()))
}

async fn initialise(
    partial: &Path,
    layout: &Layout,
    account: &Account,
    programs: &Programs,
    lock: &TreeLock,
) -> Result<()> {
    DirBuilder::new()
        .mode(0o700)
        .create(partial)
        .with_context(|| format!("cannot create the directory {}", partial.display()))?;
    account.own(partial)?;
    let options =
        ["--username=roundtrip", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C"];
    let mut command: Vec<OsString> = vec![programs.folder.join("initdb").into(), "-D".into(), partial.into()];
    command.extend(options.map(OsString::from));
    // A pipe, because a file could not be written on a full disk.
    let (mut reader, output) = std::io::pipe().context("cannot create a pipe")?;
    let errors = output.try_clone().context("cannot duplicate a pipe")?;
    let mut guarded = Guarded::spawn(account, &command, lock, output.into(), errors.into())?;
    // In a thread, so that the writer never blocks.
    let reading = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        // Output before an error is still useful.
        let _ = reader.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let status = guarded.ended().await;
    if status.success() {
        return Ok(());
    }
    let text = reading.await.unwrap_or_default();
    if diagnostics::is_disk_full(&text, &layout.data_dir) {
        return Err(diagnostics::disk_full(&layout.data_dir));
    }
    let complaint = diagnostics::last(&text).map_or_else(|| status.to_string(), str::to_owned);
    bail!("cannot create a database in {}: {complaint}", layout.data_dir.display())
}

fn remove_all(path: &Path) -> Result<()> {
    let removed = ignore_missing(std::fs::remove_dir_all(path));
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_files_have_no_version() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(version(folder.path()).unwrap(), None);
        assert_eq!(version(&folder.path().join("missing")).unwrap(), None);
    }

    #[test]
    fn complete_files_have_a_version() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("global")).unwrap();
        std::fs::write(folder.path().join("global/pg_control"), "").unwrap();
        std::fs::write(folder.path().join("PG_VERSION"), "15\n").unwrap();
        assert_eq!(version(folder.path()).unwrap(), Some(15));
    }

    #[test]
    fn incomplete_files_name_the_missing_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("PG_VERSION"), "15\n").unwrap();
        let error = version(folder.path()).unwrap_err().to_string();
        assert!(error.contains("global/pg_control is missing"), "{error}");
    }
}
