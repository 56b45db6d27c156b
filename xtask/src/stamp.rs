//! [`Stamp`]: a note of what a step was last done for, so that it is not done again for the same.

use crate::workspace;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// A note of what a step was last done for.
pub(crate) struct Stamp {
    path: PathBuf,
    digest: String,
}

impl Stamp {
    /// In this file, of a step that is done for these files and folders.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn of(path: PathBuf, inputs: &[PathBuf]) -> Result<Self> {
        Ok(Self::new(path, workspace::digest(inputs)?))
    }

    /// The same, where the digest of what it is done for is known.
    pub(crate) fn new(path: PathBuf, digest: String) -> Self {
        Self { path, digest }
    }

    /// Whether the step was last done for what is there now.
    pub(crate) fn is_current(&self) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|written| written == self.digest)
    }

    /// Notes that it was done.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&self.path, &self.digest))
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_done_again_once_its_inputs_have_changed() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("input");
        std::fs::write(&input, "one").unwrap();
        let stamp = || Stamp::of(folder.path().join("notes/step"), std::slice::from_ref(&input)).unwrap();
        assert!(!stamp().is_current(), "it was never done");
        stamp().write().unwrap();
        assert!(stamp().is_current());
        std::fs::write(&input, "two").unwrap();
        assert!(!stamp().is_current());
    }
}
