//! The number of reports that each server has acknowledged, sent with every upload so that a server can
//! detect lost ones. Stored in the spool. A run is counted once, when the server has stored it, despite
//! crashes and retries; the server counts the same way. Imports can be repeated at any time, so an import that the server
//! already has is not counted.

use crate::failure::{Failure, OnDisk};
use crate::{platform, spool};
use roundtrip_wire::{Acknowledged, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use uuid::Uuid;

const FILE: &str = "acknowledged.json";
const LOCK: &str = "acknowledged.lock";
/// After a crash, a report that was counted but not deleted is uploaded again. It is among these newest runs.
const NEWEST_MAX: usize = 64;
/// Sent but unacknowledged reports are still in the spool, unless a user removed them.
const SENT_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    spool: PathBuf,
    server: String,
}

/// One account per server: servers may have different databases.
type Accounts = BTreeMap<String, Account>;

#[derive(Debug, Serialize, Deserialize)]
struct Account {
    installation_id: Uuid,
    count: u64,
    /// The newest counted runs, in order.
    newest: Vec<RunId>,
    /// Runs sent but not counted: the server may have stored them although its response was lost.
    sent: Vec<RunId>,
}

/// The count to send with a run, and whether the run was sent before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentRun {
    pub(crate) acknowledged: Acknowledged,
    /// The run was sent before, so the server may already have it.
    was_sent: bool,
}

impl Ledger {
    pub(crate) fn new(spool: &Path, server: &str) -> Self {
        Self { spool: spool.to_owned(), server: server.trim_end_matches('/').to_owned() }
    }

    /// The count to send with this run.
    pub(crate) fn send(&self, run: RunId) -> crate::Result<SentRun> {
        self.change(|account| {
            let was_sent = account.sent.contains(&run);
            if !was_sent {
                push(&mut account.sent, run, SENT_MAX);
            }
            let acknowledged =
                Acknowledged { installation_id: account.installation_id, count: account.count };
            SentRun { acknowledged, was_sent }
        })
    }

    /// Counts an acknowledged run, unless the server had it from another source.
    pub(crate) fn count(&self, run: RunId, sent: SentRun, is_new: bool) -> crate::Result<()> {
        self.change(|account| {
            account.sent.retain(|sent| *sent != run);
            if (is_new || sent.was_sent) && !account.newest.contains(&run) {
                account.count += 1;
                push(&mut account.newest, run, NEWEST_MAX);
            }
        })
    }

    /// Removes a sent run without counting it.
    pub(crate) fn forget(&self, run: RunId) -> crate::Result<()> {
        self.change(|account| account.sent.retain(|sent| *sent != run))
    }

    /// Updates the server's account under a lock.
    fn change<T>(&self, change: impl FnOnce(&mut Account) -> T) -> crate::Result<T> {
        let (path, lock) = (self.spool.join(FILE), self.spool.join(LOCK));
        platform::create_private_folder(&self.spool).on_disk(&lock)?;
        let locked = platform::open_private(&lock).on_disk(&lock)?;
        locked.lock().on_disk(&lock)?;
        // If the file is invalid, start with a new account, like a new installation.
        let before = fs::read(&path).unwrap_or_default();
        let mut accounts: Accounts = serde_json::from_slice(&before).unwrap_or_default();
        let account = accounts.entry(self.server.clone()).or_insert_with(|| Account {
            installation_id: Uuid::now_v7(),
            count: 0,
            newest: Vec::new(),
            sent: Vec::new(),
        });
        let result = change(account);
        let after = serde_json::to_vec(&accounts).map_err(|error| Failure::Other(error.to_string()))?;
        if after != before {
            spool::write_private(&path, &after)?;
        }
        Ok(result)
    }
}

fn push(runs: &mut Vec<RunId>, run: RunId, max: usize) {
    runs.push(run);
    runs.drain(..runs.len().saturating_sub(max));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deliver(ledger: &Ledger, run: RunId, is_new: bool) {
        let sent = ledger.send(run).unwrap();
        ledger.count(run, sent, is_new).unwrap();
    }

    fn acknowledged(ledger: &Ledger) -> Acknowledged {
        ledger.send(RunId::draw()).unwrap().acknowledged
    }

    #[test]
    fn counts_each_run_once_per_server() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path(), "http://one/");
        let first = acknowledged(&ledger);
        assert_eq!(first.count, 0);
        for run in std::iter::repeat_with(RunId::draw).take(100) {
            deliver(&ledger, run, true);
            deliver(&ledger, run, false);
        }
        let after = acknowledged(&Ledger::new(folder.path(), "http://one"));
        assert_eq!(after, Acknowledged { count: 100, ..first });
        let other = acknowledged(&Ledger::new(folder.path(), "http://other"));
        assert_eq!(other.count, 0);
        assert_ne!(other.installation_id, first.installation_id);
    }

    #[test]
    fn counts_known_runs_only_if_sent_before() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path(), "http://one");
        deliver(&ledger, RunId::draw(), false);
        assert_eq!(acknowledged(&ledger).count, 0, "another installation uploaded it");
        let run = RunId::draw();
        ledger.send(run).unwrap();
        deliver(&ledger, run, false);
        assert_eq!(acknowledged(&ledger).count, 1, "the answer to the first attempt was lost");
    }

    #[test]
    fn never_counts_a_forgotten_run() {
        let folder = tempfile::tempdir().unwrap();
        let (ledger, run) = (Ledger::new(folder.path(), "http://one"), RunId::draw());
        deliver(&ledger, run, true);
        ledger.send(run).unwrap();
        ledger.forget(run).unwrap();
        let sent = ledger.send(run).unwrap();
        assert_eq!((sent.acknowledged.count, sent.was_sent), (1, false));
    }

    #[test]
    fn counts_runs_of_concurrent_processes() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path(), "http://one");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| deliver(&ledger, RunId::draw(), true)));
            }
        });
        assert_eq!(acknowledged(&ledger).count, 40);
    }

    #[test]
    fn replaces_an_invalid_ledger() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "no ledger").unwrap();
        assert_eq!(acknowledged(&Ledger::new(folder.path(), "http://one")).count, 0);
    }
}
