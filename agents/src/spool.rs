//! Reports on disk: written before the upload, deleted when the server has acknowledged them. A report is
//! complete or absent: it is written under a temporary name, synced, then renamed.

use crate::failure::{Failure, OnDisk};
use crate::log::Log;
use crate::platform;
use crate::stop::StopSignal;
use chrono::{DateTime, SubsecRound, Utc};
use roundtrip_wire::RunId;
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Prefix of temporary files and folders.
const TEMPORARY: &str = ".tmp";

/// The default spool: `$XDG_STATE_HOME/roundtrip/spool`, or the system's equivalent.
pub(crate) fn folder() -> PathBuf {
    let state = dirs::state_dir().or_else(dirs::data_local_dir).unwrap_or_else(std::env::temp_dir);
    state.join("roundtrip").join("spool")
}

pub(crate) fn path(folder: &Path, id: RunId) -> PathBuf {
    folder.join(format!("{id}.json"))
}

/// The name of a kept import, which agents ignore.
pub(crate) fn import_path(folder: &Path, id: RunId) -> PathBuf {
    folder.join(format!("{id}.import"))
}

/// The runs with pending reports in a spool, in the order of their start.
pub(crate) fn waiting(folder: &Path) -> crate::Result<Vec<RunId>> {
    runs(folder, ".json")
}

/// The pending reports and imports of a spool, each in the order of their start; none without a spool.
pub(crate) fn kept(folder: &Path) -> crate::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let reports = waiting(folder)?.into_iter().map(|id| path(folder, id));
    let imports = runs(folder, ".import")?.into_iter().map(|id| import_path(folder, id));
    Ok(reports.chain(imports).collect())
}

/// The runs with a file that has this suffix.
fn runs(folder: &Path, suffix: &str) -> crate::Result<Vec<RunId>> {
    let failed = |error| Failure::Other(format!("cannot read {}: {error}", folder.display()));
    let mut ids = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(suffix)).and_then(|id| {
            // Other names are not reports.
            RunId::deserialize(StrDeserializer::<Error>::new(id)).ok()
        });
        ids.extend(id);
    }
    ids.sort_unstable();
    Ok(ids)
}

/// Writes a file atomically: after a crash, the old or the new one exists.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> crate::Result<()> {
    write_durably(path, bytes, false)
}

/// [`write()`] of parts, which the caller writes one after the other. If one fails, the path is unchanged.
pub(crate) fn write_parts<T>(
    path: &Path,
    parts: impl FnOnce(&mut File) -> crate::Result<T>,
) -> crate::Result<T> {
    write_parts_durably(path, parts, false)
}

/// [`write()`] for the owner only, if the system has a mode. Also a new folder is for the owner only.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> crate::Result<()> {
    write_durably(path, bytes, true)
}

/// [`write_private()`] of a value as JSON.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> crate::Result<()> {
    let json = serde_json::to_vec(value).map_err(io::Error::from).on_disk(path)?;
    write_durably(path, &json, true)
}

/// Reads a file of [`write_json()`]; `None` if it is missing or invalid.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    fs::read(path).ok().and_then(|json| serde_json::from_slice(&json).ok())
}

/// Deletes temporary files of killed processes that are older than this. Younger ones may be in use.
pub(crate) fn sweep(folder: &Path, age_min: Duration) -> crate::Result<()> {
    for entry in fs::read_dir(folder).on_disk(folder)? {
        let entry = entry.on_disk(folder)?;
        let Ok(about) = entry.metadata() else { continue };
        // If the clock was set back, the age is zero.
        let age = about.modified().on_disk(folder)?.elapsed().unwrap_or_default();
        if age < age_min || !entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes()) {
            continue;
        }
        platform::remove_tree(&entry.path()).on_disk(folder)?;
    }
    Ok(())
}

/// Deletes a file if it exists. Another process may have uploaded and deleted it before.
pub(crate) fn remove(path: &Path) -> crate::Result<()> {
    removed(fs::remove_file(path), path)
}

fn write_durably(path: &Path, bytes: &[u8], is_private: bool) -> crate::Result<()> {
    write_parts_durably(path, |file| file.write_all(bytes).on_disk(path), is_private)
}

fn write_parts_durably<T>(
    path: &Path,
    parts: impl FnOnce(&mut File) -> crate::Result<T>,
    is_private: bool,
) -> crate::Result<T> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let created =
        if is_private { platform::create_private_folder(folder) } else { fs::create_dir_all(folder) };
    created.on_disk(path)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // A temporary file is private by default. Others may read the file of `--output`.
    if let Some(permissions) = platform::ordinary_permissions().filter(|_| !is_private) {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder).on_disk(path)?;
    let written = parts(file.as_file_mut())?;
    file.as_file().sync_all().on_disk(path)?;
    file.persist(path).map_err(|error| error.error).on_disk(path)?;
    // A rename is durable once the folder is synced. Systems that cannot open a folder do not need this.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().on_disk(path)?;
    }
    Ok(written)
}

/// The result of a deletion; a missing file counts as deleted.
pub(crate) fn removed(outcome: io::Result<()>, path: &Path) -> crate::Result<()> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        outcome => outcome.on_disk(path),
    }
}

/// Delay before the next attempt to write to a failing disk.
const DISK_PAUSE: Duration = Duration::from_secs(60);

/// Retries a write until it succeeds. If the agent is stopped meanwhile, tries once more and breaks, or
/// fails with the last error.
pub(crate) fn write_at_last(
    mut write: impl FnMut() -> crate::Result<()>,
    stop: &mut StopSignal,
    log: &Log,
) -> crate::Result<ControlFlow<()>> {
    let mut wanted = ControlFlow::Continue(());
    while let Err(failure) = write() {
        if wanted.is_break() {
            return Err(failure);
        }
        log.write(&format!("{failure}; retrying in {} s", DISK_PAUSE.as_secs()));
        wanted = stop.wait_until(Instant::now() + DISK_PAUSE);
    }
    Ok(wanted)
}

// One agent per spool: it locks a file and writes its process ID next to it. The system releases the lock
// when the process ends, even if it is killed.

const LOCK: &str = "agent.lock";

/// Separate from the lock: on Windows no other process can read a locked file.
const NOTE: &str = "agent.json";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) process_id: u32,
    pub(crate) since: DateTime<Utc>,
}

impl Holder {
    /// The process in the note. Only the lock shows whether it still runs.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        read_json(&folder.join(NOTE))
    }
}

#[derive(Debug)]
pub(crate) struct SpoolLock {
    note: PathBuf,
    _lock: File,
}

impl Drop for SpoolLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.note);
    }
}

pub(crate) fn lock(folder: &Path) -> crate::Result<SpoolLock> {
    platform::create_private_folder(folder).on_disk(folder)?;
    let lock = try_lock(&folder.join(LOCK))?.ok_or_else(|| held_by_another(folder))?;
    let holder = Holder { process_id: std::process::id(), since: Utc::now().trunc_subsecs(0) };
    let note = folder.join(NOTE);
    write_json(&note, &holder)?;
    Ok(SpoolLock { note, _lock: lock })
}

fn held_by_another(folder: &Path) -> Failure {
    let who = match Holder::read(folder) {
        Some(Holder { process_id, since }) => format!("process {process_id} since {since}"),
        None => "an unknown process".into(),
    };
    Failure::Other(format!(
        "the spool {} is locked by another agent ({who}). Stop it, or pass another folder with --spool.",
        folder.display()
    ))
}

/// Locks a file until the returned value is dropped; `None` if another process has locked it.
pub(crate) fn try_lock(path: &Path) -> crate::Result<Option<File>> {
    let file = platform::open_private(path).on_disk(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(source).on_disk(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_reports_atomically() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/report.json");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_state() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("new/spool");
        let _held = lock(&spool).unwrap();
        write_json(&spool.join("measured.json"), &0).unwrap();
        write_private(&path(&spool, RunId::draw()), b"{}").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder.path().join("new")), mode(&spool)), (0o700, 0o700));
        for entry in fs::read_dir(&spool).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{path:?}");
        }
    }

    #[test]
    fn lists_reports_in_run_order() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<RunId> = (0..3).map(|_| RunId::draw()).collect();
        for id in ids.iter().rev() {
            write(&path(folder.path(), *id), b"{}").unwrap();
        }
        write_json(&folder.path().join("measured.json"), &0).unwrap();
        write(&folder.path().join(format!("{}.json.old", ids[0])), b"{}").unwrap();
        assert_eq!(waiting(folder.path()).unwrap(), ids);
        remove(&path(folder.path(), ids[1])).unwrap();
        remove(&path(folder.path(), ids[1])).unwrap();
        assert_eq!(waiting(folder.path()).unwrap(), [ids[0], ids[2]]);
    }

    #[test]
    fn sweeps_only_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("report.json"), b"{}").unwrap();
        // As left by a killed process.
        let half = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder.path()).unwrap();
        half.keep().unwrap();
        let home = tempfile::tempdir_in(folder.path()).unwrap().keep();
        fs::write(home.join("file"), "").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        sweep(folder.path(), Duration::from_secs(3_600)).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "another process may be writing it");
        sweep(folder.path(), Duration::ZERO).unwrap();
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["report.json"]);
    }

    #[test]
    fn names_a_folder_that_cannot_be_created() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = write(&folder.path().join("file/report.json"), b"").unwrap_err();
        assert!(
            matches!(error, Failure::Disk { .. }) && error.to_string().contains("file/report.json"),
            "{error}"
        );
    }

    #[test]
    fn locks_the_spool_for_one_agent() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        let held = lock(&spool).unwrap();
        let refusal = lock(&spool).unwrap_err().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        drop(held);
        assert_eq!(Holder::read(&spool), None);
        lock(&spool).unwrap();
    }
}
