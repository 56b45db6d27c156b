//! PostgreSQL's files: made whole or not at all, and touched only if they are whole and of the right version.

use super::account::Account;
use super::diagnostics;
use super::guarded::Guarded;
use super::layout::Layout;
use super::locate::{MajorVersion, Programs};
use super::lock::TreeLock;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, PipeReader, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::thread::JoinHandle;

/// The version that made the files in `cluster`; none if there are no files.
///
/// # Errors
/// There are files, but not those of a whole PostgreSQL. They are left as they are.
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
    let version = text
        .trim()
        .parse()
        .with_context(|| format!("{shown}/PG_VERSION holds {:?}: expected a major version", text.trim()))?;
    Ok(Some(version))
}

/// Checks that `programs` can use files that `version` made.
///
/// # Errors
/// They are of another major version.
pub(crate) fn check_version(cluster: &Path, version: MajorVersion, programs: &Programs) -> Result<()> {
    if version == programs.version() {
        return Ok(());
    }
    let (shown, found, folder) = (cluster.display(), programs.version(), programs.folder().display());
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

/// Makes PostgreSQL's files: under another name first, so that what stands under the final name is whole.
///
/// # Errors
/// The disk is full, or initdb fails for another reason. Nothing is left then.
pub(crate) async fn create(
    layout: &Layout,
    account: &Account,
    programs: &Programs,
    lock: &TreeLock,
) -> Result<()> {
    let (partial, cluster) = (layout.partial_cluster(), layout.cluster());
    tracing::info!("making a new database in {}", cluster.display());
    remove_all(&partial)?;
    let made = initialise(&partial, layout, account, programs, lock).await;
    if made.is_err() {
        remove_all(&partial)?;
    }
    made?;
    std::fs::rename(&partial, &cluster)
        .with_context(|| format!("cannot rename {} to {}", partial.display(), cluster.display()))?;
    // initdb has written its files through to the disk; the new name is missing there.
    File::open(layout.data_dir())
        .and_then(|directory| directory.sync_all())
        .with_context(|| format!("cannot write {} through to the disk", layout.data_dir().display()))
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
        .with_context(|| format!("cannot make the directory {}", partial.display()))?;
    account.own(partial)?;
    let options =
        ["--username=roundtrip", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C"];
    let mut command: Vec<OsString> = vec![programs.initdb().into(), "-D".into(), partial.into()];
    command.extend(options.map(OsString::from));
    // A pipe and no file, which could not be written when the disk is full.
    let (reader, output) = std::io::pipe().context("cannot make a pipe")?;
    let errors = output.try_clone().context("cannot share a pipe")?;
    let mut guarded = Guarded::spawn(account, &command, lock, output.into(), errors.into())?;
    let reading = read_in_thread(reader)?;
    let status = guarded.ended().await;
    if status.success() {
        return Ok(());
    }
    let text = reading.join().unwrap_or_default();
    if diagnostics::is_disk_full(&text, layout.data_dir()) {
        return Err(diagnostics::disk_full(layout.data_dir()));
    }
    let complaint = diagnostics::last(&text).map_or_else(|| status.to_string(), str::to_owned);
    bail!("cannot make a database in {}: {complaint}", layout.data_dir().display())
}

/// Reads all there is, so that the writer never waits.
fn read_in_thread(mut reader: PipeReader) -> Result<JoinHandle<String>> {
    std::thread::Builder::new()
        .name("initdb".to_owned())
        .spawn(move || {
            let mut bytes = Vec::new();
            // What was read before an error is still worth telling.
            let _ = reader.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
        .context("cannot start a thread that reads initdb's output")
}

fn remove_all(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
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
    fn no_files_are_no_version() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(version(folder.path()).unwrap(), None);
        assert_eq!(version(&folder.path().join("missing")).unwrap(), None);
    }

    #[test]
    fn whole_files_tell_their_version() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("global")).unwrap();
        std::fs::write(folder.path().join("global/pg_control"), "").unwrap();
        std::fs::write(folder.path().join("PG_VERSION"), "15\n").unwrap();
        assert_eq!(version(folder.path()).unwrap(), Some(15));
    }

    #[test]
    fn half_of_the_files_are_refused_by_the_name_of_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("PG_VERSION"), "15\n").unwrap();
        let error = version(folder.path()).unwrap_err().to_string();
        assert!(error.contains("global/pg_control is missing"), "{error}");
    }
}
