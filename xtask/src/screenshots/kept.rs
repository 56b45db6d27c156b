//! [`Kept`]: the folder with what was measured, and a note of each run of it, so that an interrupted round goes on where it
//! ended.

use crate::stamp::Stamp;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder.
pub(super) struct Kept {
    folder: PathBuf,
}

/// One run: of a commit, with a preset, for the how manieth time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The measured commit.
    pub(super) sha: String,
    /// A preset of the suite, or the path of a definition of the repository.
    pub(super) preset: &'static str,
    /// Counted from 1.
    pub(super) round: u32,
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sha, preset, round } = self;
        write!(formatter, "{sha} {preset} {round}")
    }
}

impl Kept {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The server's.
    pub(super) fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Of which history it is.
    pub(super) fn stamp(&self, digest: String) -> Stamp {
        Stamp::new(self.folder.join("history"), digest)
    }

    /// Whether the server has this run already.
    pub(super) fn has(&self, run: &Run) -> bool {
        self.lines().iter().any(|line| line.starts_with(&format!("{run} ")))
    }

    /// Notes a run that the server has, and the commit of Roundtrip that measured it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn note(&self, run: &Run, suite: &str) -> Result<()> {
        let path = self.record();
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| writeln!(file, "{run} {suite}"))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// The commits of Roundtrip that measured what is kept; one, unless a round was interrupted.
    pub(super) fn suites(&self) -> BTreeSet<String> {
        let suites = self.lines().into_iter().filter_map(|line| Some(line.splitn(4, ' ').nth(3)?.to_owned()));
        suites.collect()
    }

    /// Without the file nothing was measured yet.
    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.record()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn record(&self) -> PathBuf {
        self.folder.join("runs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_noted_with_what_measured_it() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::new(folder.path().to_owned());
        let run = |round| Run { sha: "a1".into(), preset: "ipc.toml", round };
        assert!(!kept.has(&run(1)));
        kept.note(&run(1), "b2 with changes").unwrap();
        kept.note(&run(12), "b2 with changes").unwrap();
        assert!(kept.has(&run(1)) && kept.has(&run(12)) && !kept.has(&run(2)));
        assert_eq!(kept.suites().into_iter().collect::<Vec<_>>(), ["b2 with changes"]);
    }
}
