//! The measured project: a small C library, created from the patches in `library/`. The same patches create
//! the same commits on every machine and at any time.

use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The project's name in its `roundtrip.toml`.
pub(super) const PROJECT: &str = "courier";
/// The branch of the pull request, and its number.
pub(super) const BRANCH: &str = "one-call";
pub(super) const PULL_REQUEST: u64 = 12;
/// The number of commits on the main branch before the pull request's branch.
const LEAVES_AT: usize = 24;
/// The patch of the pull request. The names of the others begin with their position in the history.
const PULL_REQUEST_PATCH: &str = "pull-request.patch";

pub(super) struct History {
    folder: TempDir,
    /// The commits of the main branch, oldest first.
    pub(super) commits: Vec<Commit>,
    /// The commit of the pull request.
    pub(super) proposed: Commit,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) sha: String,
    pub(super) subject: String,
}

impl History {
    /// Creates the repository, with the main branch checked out.
    pub(super) fn make() -> Result<Self> {
        let mut patches = workspace::sorted(&source())?;
        patches.retain(|path| !path.ends_with(PULL_REQUEST_PATCH));
        let folder = tempfile::Builder::new().prefix("roundtrip-courier-").tempdir();
        let folder = folder.context("no temporary folder")?;
        let path = folder.path();
        let apply = |patches: &[PathBuf]| {
            git(path, "am --quiet --keep --committer-date-is-author-date")?.arguments(patches).output()
        };
        git(path, "init --quiet --initial-branch main")?.output()?;
        apply(&patches)?;
        let leaves = patches.len().saturating_sub(LEAVES_AT);
        git(path, &format!("checkout --quiet -b {BRANCH} main~{leaves}"))?.output()?;
        apply(&[source().join(PULL_REQUEST_PATCH)])?;
        git(path, "checkout --quiet main")?.output()?;
        let log = |range: &str| {
            let log = git(path, "log --reverse")?.arguments(["--format=%H %s", range]).output()?;
            let parse = |line: &str| {
                let (sha, subject) = line.split_once(' ').with_context(|| format!("git logged {line:?}"))?;
                Ok(Commit { sha: sha.to_owned(), subject: subject.to_owned() })
            };
            log.lines().map(parse).collect::<Result<Vec<_>>>()
        };
        let proposed = log(&format!("main..{BRANCH}"))?.pop().context("the pull request has no commit")?;
        Ok(Self { commits: log("main")?, proposed, folder })
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Checks out a commit or a branch, and removes build results of others.
    pub(super) fn check_out(&self, what: &str) -> Result<()> {
        git(self.folder(), &format!("checkout --quiet {what}"))?.output()?;
        git(self.folder(), "clean --quiet -fdx")?.output().map(drop)
    }
}

/// A digest of everything that determines the commits.
pub(super) fn digest() -> Result<String> {
    workspace::digest(&[source()])
}

fn source() -> PathBuf {
    workspace::root().join("xtask/src/screenshots/library")
}

/// Git without the user's settings, which would change the commits.
fn git(folder: &Path, words: &str) -> Result<Tool> {
    let git = Tool::named("git")?.words(words).folder(folder);
    Ok(git
        .variable("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .variable("GIT_CONFIG_NOSYSTEM", "1")
        .variable("GIT_COMMITTER_NAME", "Courier")
        .variable("GIT_COMMITTER_EMAIL", "team@courier.example"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creates_reproducible_commits() {
        let (one, other) = (History::make().unwrap(), History::make().unwrap());
        assert_eq!(one.commits, other.commits);
        assert_eq!(one.proposed, other.proposed);
        assert_eq!(one.commits.len(), super::super::WHOLE.end);
        assert_eq!(one.commits[20].subject, "Send a message in parts", "the one that makes messages slower");
    }
}
