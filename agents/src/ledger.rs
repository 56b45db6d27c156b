//! How many reports of a spool each server has acknowledged: told with every upload, so that a server which has lost some can
//! say so. Kept in the spool. A run is counted when a server that was told of the ledger has stored it, and once, whatever
//! is cut short or repeated: the server counts the same.

use crate::failure::{Failure, OnDisk};
use crate::spool;
use roundtrip_wire::{Acknowledged, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use uuid::Uuid;

const FILE: &str = "acknowledged.json";
const LOCK: &str = "acknowledged.lock";
/// A report that was counted and not yet removed, as after a crash, is uploaded and acknowledged again: it is among the
/// newest.
const NEWEST_MAX: usize = 64;
/// Reports that were sent and not acknowledged are still in the spool, or somebody has taken them out.
const SENT_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    spool: PathBuf,
    server: String,
}

/// What is kept, by server: another one may have another database, which knows nothing of what this one has.
type Book = BTreeMap<String, Account>;

#[derive(Debug, Serialize, Deserialize)]
struct Account {
    installation_id: Uuid,
    count: u64,
    /// The runs that were counted last, the newest at the end.
    newest: Vec<RunId>,
    /// Runs that were sent and not counted: the server may have stored them, and its answer may be lost.
    sent: Vec<RunId>,
}

/// What a server is told with a run, and how its answer is to be understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) acknowledged: Acknowledged,
    /// The run was sent before: if it is stored already, then because of that.
    was_sent: bool,
}

impl Ledger {
    pub(crate) fn new(spool: &Path, server: &str) -> Self {
        Self { spool: spool.to_owned(), server: server.trim_end_matches('/').to_owned() }
    }

    /// What to tell the server with this run, which is sent now.
    pub(crate) fn send(&self, run: RunId) -> crate::Result<Told> {
        self.change(|account| {
            let was_sent = account.sent.contains(&run);
            if !was_sent {
                push(&mut account.sent, run, SENT_MAX);
            }
            let acknowledged =
                Acknowledged { installation_id: account.installation_id, count: account.count };
            Told { acknowledged, was_sent }
        })
    }

    /// Counts a run whose acknowledgement was checked, unless the server had it from elsewhere.
    pub(crate) fn count(&self, run: RunId, told: Told, is_new: bool) -> crate::Result<()> {
        self.change(|account| {
            account.sent.retain(|sent| *sent != run);
            if (is_new || told.was_sent) && !account.newest.contains(&run) {
                account.count += 1;
                push(&mut account.newest, run, NEWEST_MAX);
            }
        })
    }

    /// Reads, changes and writes the account of the server, while no other process does.
    fn change<T>(&self, change: impl FnOnce(&mut Account) -> T) -> crate::Result<T> {
        let (path, lock) = (self.spool.join(FILE), self.spool.join(LOCK));
        fs::create_dir_all(&self.spool).on_disk(&lock)?;
        let locked = File::options().append(true).create(true).open(&lock).on_disk(&lock)?;
        locked.lock().on_disk(&lock)?;
        // One that cannot be read begins anew, as another installation: what is not known was not lost.
        let before = fs::read(&path).unwrap_or_default();
        let mut book: Book = serde_json::from_slice(&before).unwrap_or_default();
        let account = book.entry(self.server.clone()).or_insert_with(|| Account {
            installation_id: Uuid::now_v7(),
            count: 0,
            newest: Vec::new(),
            sent: Vec::new(),
        });
        let told = change(account);
        let after = serde_json::to_vec(&book).map_err(|error| Failure::Other(error.to_string()))?;
        if after != before {
            spool::write(&path, &after)?;
        }
        Ok(told)
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
        let told = ledger.send(run).unwrap();
        ledger.count(run, told, is_new).unwrap();
    }

    fn acknowledged(ledger: &Ledger) -> Acknowledged {
        ledger.send(RunId::draw()).unwrap().acknowledged
    }

    #[test]
    fn each_run_is_counted_once_and_each_server_apart() {
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
    fn what_a_server_had_already_is_counted_only_if_it_may_have_come_from_here() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path(), "http://one");
        deliver(&ledger, RunId::draw(), false);
        assert_eq!(acknowledged(&ledger).count, 0, "somebody else uploaded it");
        let run = RunId::draw();
        ledger.send(run).unwrap();
        deliver(&ledger, run, false);
        assert_eq!(acknowledged(&ledger).count, 1, "the answer to the first attempt was lost");
    }

    #[test]
    fn processes_that_count_at_once_miss_nothing() {
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
    fn a_file_that_is_no_ledger_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "no ledger").unwrap();
        assert_eq!(acknowledged(&Ledger::new(folder.path(), "http://one")).count, 0);
    }
}
