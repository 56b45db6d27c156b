//! A revision of a repository, checked out and built in a folder of its own, which goes with it.

use crate::build;
use crate::failure::Failure;
use crate::repository::Git;
use crate::settings::CommandLine;
use roundtrip_bench::scratch;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A work tree of the repository at one commit.
#[derive(Debug)]
pub(super) struct Revision<'a> {
    git: &'a Git,
    /// The repository's own work tree.
    root: PathBuf,
    folder: TempDir,
}

impl<'a> Revision<'a> {
    /// Checks a revision out beside the work tree of the repository, which stays as it is, and builds it.
    ///
    /// # Errors
    /// What git does not know, or what does not build.
    pub(super) fn build(
        git: &'a Git,
        root: &Path,
        name: &str,
        commands: &[CommandLine],
    ) -> crate::Result<Self> {
        let commit = git.ask(&["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")]);
        let commit = commit.map_err(|_| {
            Failure::Usage(format!(
                "{} has no revision {name}: expected a commit, a branch or a tag",
                root.display()
            ))
        })?;
        let folder = scratch::folder()
            .map_err(|error| Failure::Other(format!("making a folder for revision {name}: {error}")))?;
        // Before git is asked for anything that is to be undone.
        let revision = Self { git, root: root.to_owned(), folder };
        // What a run that was killed has left registered.
        git.ask(&["worktree", "prune"])?;
        let path = revision.folder.path().to_string_lossy().into_owned();
        git.ask(&["worktree", "add", "--detach", &path, commit.trim()])?;
        if revision.folder.path().join(".gitmodules").exists() {
            Git::named(revision.folder.path()).ask(&["submodule", "update", "--init", "--recursive"])?;
        }
        eprintln!("Revision {name}: {}", commit.trim());
        build::build(commands, revision.folder.path())?;
        Ok(revision)
    }

    /// The folder of this revision that is where this folder is in the repository.
    ///
    /// # Errors
    /// It is elsewhere.
    pub(super) fn folder(&self, folder: &Path) -> crate::Result<PathBuf> {
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| Failure::Other(format!("cannot tell where {} is: {error}", path.display())))
        };
        let within = real(folder)?;
        let within = within.strip_prefix(real(&self.root)?).map_err(|_| {
            Failure::Usage(format!(
                "the definition in {} is not in {}: expected one in the repository whose revisions are compared",
                folder.display(),
                self.root.display()
            ))
        })?;
        Ok(self.folder.path().join(within))
    }
}

impl Drop for Revision<'_> {
    fn drop(&mut self) {
        let path = self.folder.path().to_string_lossy().into_owned();
        // What is left registered goes with the next revision that is checked out.
        let _ = self.git.ask(&["worktree", "remove", "--force", &path]);
    }
}
