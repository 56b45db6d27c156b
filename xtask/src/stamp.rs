//! [`Stamp`]: a record of the inputs of a step, so that an unchanged step is not repeated.

use crate::tally::Outcome;
use anyhow::Result;
use fs_err as fs;
use std::path::PathBuf;

pub(crate) struct Stamp {
    path: PathBuf,
    digest: String,
}

impl Stamp {
    /// A stamp in the file `path`, for a step whose inputs have this digest.
    pub(crate) fn new(path: PathBuf, digest: String) -> Self {
        Self { path, digest }
    }

    pub(crate) fn is_current(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|written| written == self.digest)
    }

    /// Runs the step unless it has passed for the current inputs.
    pub(crate) fn unless_current(&self, run: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
        if self.is_current() {
            return Ok(Outcome::Skipped("unchanged since the last pass".into()));
        }
        let outcome = run()?;
        if outcome.all_passed() {
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
    use crate::workspace;

    #[test]
    fn repeats_a_step_after_changed_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("input");
        fs::write(&input, "one").unwrap();
        let digest = || workspace::digest(std::slice::from_ref(&input)).unwrap();
        let stamp = || Stamp::new(folder.path().join("notes/step"), digest());
        assert!(!stamp().is_current(), "it was never done");
        stamp().write().unwrap();
        assert!(stamp().is_current());
        fs::write(&input, "two").unwrap();
        assert!(!stamp().is_current());
    }

    #[test]
    fn skips_passed_steps() {
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
