//! Which commits an agent has measured, kept in its spool so that it knows after a restart.

use crate::spool;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_wire::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const FILE: &str = "measured.json";

/// Commits that are remembered. An older one is measured again when it is checked out again.
const COMMITS_MAX: usize = 1_000;

/// Why a commit is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It never was.
    New,
    /// The last measurement, of whatever commit, is so long ago.
    Again,
}

/// One commit, measured in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    project: Slug,
    preset: Slug,
    commit: CommitSha,
    finished_at: DateTime<Utc>,
}

/// What was measured of one project with one preset. The file holds that of all.
#[derive(Debug)]
pub(crate) struct Measured {
    path: PathBuf,
    project: Slug,
    preset: Slug,
    /// The one that was measured last stands last.
    entries: Vec<Entry>,
}

impl Measured {
    /// Reads what this spool remembers, and says why it remembers nothing if its file is no use.
    pub(crate) fn read(spool: &Path, project: Slug, preset: Slug) -> (Self, Option<String>) {
        let path = spool.join(FILE);
        let read = match fs::read(&path) {
            Ok(json) => serde_json::from_slice(&json).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        };
        let complaint = read.as_ref().err().map(|error| format!("{} is begun anew: {error}", path.display()));
        (Self { path, project, preset, entries: read.unwrap_or_default() }, complaint)
    }

    /// Whether this commit is to be measured now, if one is to be measured at least this often.
    pub(crate) fn due(&self, commit: &CommitSha, now: DateTime<Utc>, every: TimeDelta) -> Option<Reason> {
        if !self.ours().any(|entry| entry.commit == *commit) {
            return Some(Reason::New);
        }
        let last = self.ours().map(|entry| entry.finished_at).max()?;
        let elapsed = now - last;
        // A measurement in the future was made before the clock was set back.
        (elapsed >= every || elapsed < TimeDelta::zero()).then_some(Reason::Again)
    }

    /// Remembers a commit.
    ///
    /// # Errors
    /// The file cannot be written; it is remembered until this process ends.
    pub(crate) fn add(&mut self, commit: CommitSha, finished_at: DateTime<Utc>) -> crate::Result<()> {
        let (project, preset) = (self.project.clone(), self.preset.clone());
        self.entries
            .retain(|other| (&other.project, &other.preset, &other.commit) != (&project, &preset, &commit));
        self.entries.push(Entry { project, preset, commit, finished_at });
        self.entries.drain(..self.entries.len().saturating_sub(COMMITS_MAX));
        spool::write_json(&self.path, &self.entries)
    }

    fn ours(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.project == self.project && entry.preset == self.preset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: TimeDelta = TimeDelta::hours(1);

    fn commit(digit: char) -> CommitSha {
        CommitSha::parse(&digit.to_string().repeat(40)).unwrap()
    }

    fn read(spool: &Path, preset: &str) -> Measured {
        let (measured, complaint) =
            Measured::read(spool, Slug::from_name("project"), Slug::from_name(preset));
        assert_eq!(complaint, None);
        measured
    }

    #[test]
    fn a_commit_is_due_once_and_then_when_the_last_measurement_is_old() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        let mut measured = read(spool.path(), "quick");
        assert_eq!(measured.due(&commit('a'), now, HOUR), Some(Reason::New));
        measured.add(commit('a'), now).unwrap();
        assert_eq!(measured.due(&commit('a'), now, HOUR), None);
        assert_eq!(measured.due(&commit('b'), now, HOUR), Some(Reason::New));
        assert_eq!(measured.due(&commit('a'), now + HOUR, HOUR), Some(Reason::Again));
        measured.add(commit('b'), now + HOUR).unwrap();
        assert_eq!(measured.due(&commit('a'), now + HOUR, HOUR), None, "another one was measured meanwhile");
        assert_eq!(
            measured.due(&commit('a'), now - HOUR, HOUR),
            Some(Reason::Again),
            "the clock was set back"
        );
    }

    #[test]
    fn what_was_measured_is_known_after_a_restart_and_only_for_the_same_preset() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        read(spool.path(), "quick").add(commit('a'), now).unwrap();
        read(spool.path(), "full").add(commit('b'), now).unwrap();
        assert_eq!(read(spool.path(), "quick").due(&commit('a'), now, HOUR), None);
        assert_eq!(read(spool.path(), "full").due(&commit('a'), now, HOUR), Some(Reason::New));
    }

    #[test]
    fn the_oldest_are_forgotten_first_and_the_same_commit_counts_once() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        let mut measured = read(spool.path(), "quick");
        let entry = |number: usize| {
            let commit = CommitSha::parse(&format!("{number:040x}")).unwrap();
            Entry {
                project: Slug::from_name("project"),
                preset: Slug::from_name("quick"),
                commit,
                finished_at: now,
            }
        };
        measured.entries = (0..COMMITS_MAX).map(entry).collect();
        measured.add(entry(5).commit, now).unwrap();
        assert_eq!(measured.entries.len(), COMMITS_MAX);
        measured.add(commit('a'), now).unwrap();
        assert_eq!(measured.entries.len(), COMMITS_MAX);
        assert_eq!(measured.due(&entry(0).commit, now, HOUR), Some(Reason::New));
        assert_eq!(measured.due(&entry(5).commit, now, HOUR), None);
    }

    #[test]
    fn a_file_that_is_no_use_is_begun_anew_and_told() {
        let spool = tempfile::tempdir().unwrap();
        fs::write(spool.path().join(FILE), "[{").unwrap();
        let (measured, complaint) =
            Measured::read(spool.path(), Slug::from_name("project"), Slug::from_name("quick"));
        assert!(complaint.is_some_and(|complaint| complaint.contains("measured.json")));
        assert_eq!(measured.due(&commit('a'), Utc::now(), HOUR), Some(Reason::New));
    }
}
