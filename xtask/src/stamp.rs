//! [`Stamp`]: a note of what a step was last done for, so that it is not done again for the same.

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

    /// Whether the step was last done for what is there now.
    pub(crate) fn is_current(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|written| written == self.digest)
    }

    /// Notes that it was done.
    pub(crate) fn write(&self) -> Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(&self.path))?;
        Ok(fs::write(&self.path, &self.digest)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
