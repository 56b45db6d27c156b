//! [`Stamp`]: a note of what a step was last done for, so that it is not done again for the same.

use crate::tally::Outcome;
use crate::workspace;
use anyhow::Result;
use fs_err as fs;
use std::path::PathBuf;

/// A note of what a step was last done for.
pub(crate) struct Stamp {
    path: PathBuf,
    digest: String,
}

impl Stamp {
    /// In the file `path`, for a step that depends on these files and folders.
    pub(crate) fn of(path: PathBuf, inputs: &[PathBuf]) -> Result<Self> {
        Ok(Self::new(path, workspace::digest(inputs)?))
    }

    /// The same, where the digest is known.
    pub(crate) fn new(path: PathBuf, digest: String) -> Self {
        Self { path, digest }
    }

    pub(crate) fn is_current(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|written| written == self.digest)
    }

    /// Runs the step unless it has passed for what is there now.
    pub(crate) fn unless_current(&self, run: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
        if self.is_current() {
            return Ok(Outcome::Skipped("unchanged since it passed".into()));
        }
        let outcome = run()?;
        if outcome.is_good() {
            self.write()?;
        }
        Ok(outcome)
    }

    pub(crate) fn forget(&self) -> Result<()> {
        if self.path.exists() {
            fs::remove_file(&self.path)?;
        }
        Ok(())
    }

    pub(crate) fn write(&self) -> Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(&self.path))?;
        Ok(fs::write(&self.path, &self.digest)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;

    #[test]
    fn a_step_is_done_again_once_its_inputs_have_changed() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("input");
        fs::write(&input, "one").unwrap();
        let stamp = || Stamp::of(folder.path().join("notes/step"), std::slice::from_ref(&input)).unwrap();
        assert!(!stamp().is_current(), "it was never done");
        stamp().write().unwrap();
        assert!(stamp().is_current());
        fs::write(&input, "two").unwrap();
        assert!(!stamp().is_current());
    }

    #[test]
    fn what_has_passed_is_not_run_again_for_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let ends = |digest: &str, failed: u64| {
            let stamp = Stamp::new(folder.path().join("step"), digest.into());
            let counts = Counts { passed: 3, failed, ..Counts::default() };
            stamp.unless_current(|| Ok(Outcome::Counted(counts, String::new()))).unwrap();
            stamp.is_current()
        };
        assert!(!ends("a", 1), "it failed");
        assert!(ends("a", 0), "it runs until it passes");
        assert!(ends("a", 1), "it has passed for the same");
        assert!(!ends("b", 1), "it has not passed for this");
    }
}
