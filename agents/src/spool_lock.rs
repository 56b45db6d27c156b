//! One agent a spool: who holds it has locked a file in it, and says beside it who it is. The system lets go of the lock
//! when the process ends, in whatever way.

use crate::failure::Failure;
use crate::spool;
use chrono::{DateTime, SubsecRound, Utc};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

const LOCK: &str = "agent.lock";

/// Not the lock itself: Windows lets nobody read a file that is locked.
const NOTE: &str = "agent.json";

/// Who holds a spool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    /// Its process.
    pub(crate) process_id: u32,
    /// Since when.
    pub(crate) since: DateTime<Utc>,
}

impl Holder {
    /// Who says to hold this spool. Whether it still does, only the lock tells.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        spool::read_json(&folder.join(NOTE))
    }
}

/// A spool that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct SpoolLock {
    note: PathBuf,
    /// Locked.
    _lock: File,
}

impl Drop for SpoolLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.note);
    }
}

/// Takes a spool for this process.
///
/// # Errors
/// Another one holds it; it is named. Or the folder cannot be written.
pub(crate) fn hold(folder: &Path) -> crate::Result<SpoolLock> {
    let path = folder.join(LOCK);
    let disk = |source| Failure::Disk { path: path.clone(), source };
    fs::create_dir_all(folder).map_err(disk)?;
    let lock = File::options().append(true).create(true).open(&path).map_err(disk)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(held_by_another(folder)),
        Err(TryLockError::Error(source)) => return Err(disk(source)),
    }
    let holder = Holder { process_id: std::process::id(), since: Utc::now().trunc_subsecs(0) };
    let note = folder.join(NOTE);
    spool::write_json(&note, &holder)?;
    Ok(SpoolLock { note, _lock: lock })
}

fn held_by_another(folder: &Path) -> Failure {
    let who = match Holder::of(folder) {
        Some(Holder { process_id, since }) => format!("process {process_id} since {since}"),
        None => "a process that has not said who it is".into(),
    };
    Failure::Other(format!(
        "another agent holds the spool {}: {who}; stop that one, or give this one a folder of its own with --spool",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_second_is_told_who_came_first_until_that_one_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        let held = hold(&spool).unwrap();
        let refusal = hold(&spool).unwrap_err().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        drop(held);
        assert_eq!(Holder::of(&spool), None);
        hold(&spool).unwrap();
    }
}
