//! The project that is measured: a small C library, made from the patches in `library/`. The same patches make the same
//! commits, on every machine and at any time.

use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The project's name, as its `roundtrip.toml` says.
pub(super) const PROJECT: &str = "courier";
/// The branch of the pull request, and its number.
pub(super) const BRANCH: &str = "one-call";
pub(super) const PULL_REQUEST: u64 = 12;
/// How many commits the main branch has where it leaves.
const LEAVES_AT: usize = 24;
/// The patch of the pull request; the others are named after their place in the history.
const PULL_REQUEST_PATCH: &str = "pull-request.patch";

/// A repository in a temporary folder.
pub(super) struct History {
    folder: TempDir,
    /// The commits of the main branch, the oldest first.
    pub(super) commits: Vec<Commit>,
    /// That of the pull request.
    pub(super) proposed: Commit,
}

/// A commit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) sha: String,
    pub(super) subject: String,
}

impl History {
    /// Makes the repository. Its main branch is checked out.
    ///
    /// # Errors
    /// Git is missing, or a patch does not apply.
    pub(super) fn make() -> Result<Self> {
        let mut names = Vec::new();
        for entry in source().read_dir().context("cannot list the history")? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        let patches: Vec<PathBuf> = in_order(names)?.iter().map(|name| source().join(name)).collect();
        let folder = tempfile::Builder::new().prefix("roundtrip-courier-").tempdir();
        let folder = folder.context("no temporary folder")?;
        let path = folder.path();
        git(path, &["init", "--quiet", "--initial-branch", "main"])?;
        let apply = |patches: &[PathBuf]| {
            let am = ["am", "--quiet", "--keep", "--committer-date-is-author-date"];
            let arguments = am.iter().map(PathBuf::from).chain(patches.iter().cloned());
            command(path)?.arguments(arguments).run_silently()?.successful()
        };
        apply(&patches)?;
        let leaves = format!("main~{}", patches.len().saturating_sub(LEAVES_AT));
        git(path, &["checkout", "--quiet", "-b", BRANCH, &leaves])?;
        apply(&[source().join(PULL_REQUEST_PATCH)])?;
        git(path, &["checkout", "--quiet", "main"])?;
        let commits = parse(&git(path, &["log", "--reverse", "--format=%H %s", "main"])?)?;
        let mut proposed = parse(&git(path, &["log", "--format=%H %s", &format!("main..{BRANCH}")])?)?;
        let proposed = proposed.pop().context("the pull request has no commit")?;
        Ok(Self { folder, commits, proposed })
    }

    /// The repository's folder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Checks out a commit or a branch, without anything that was built of another one.
    ///
    /// # Errors
    /// Git fails.
    pub(super) fn check_out(&self, what: &str) -> Result<()> {
        git(self.folder(), &["checkout", "--quiet", what])?;
        git(self.folder(), &["clean", "--quiet", "-fdx"])?;
        Ok(())
    }
}

/// Of all that decides which commits there are.
///
/// # Errors
/// A patch cannot be read.
pub(super) fn digest() -> Result<String> {
    workspace::digest(&[source()])
}

fn source() -> PathBuf {
    workspace::root().join("xtask/src/screenshots/library")
}

/// The patches of the main branch in their order, which is that of the numbers that their names begin with.
fn in_order(mut names: Vec<String>) -> Result<Vec<String>> {
    names.retain(|name| name != PULL_REQUEST_PATCH);
    names.sort();
    for (place, name) in (1..).zip(&names) {
        let number = name.split_once('-').and_then(|(number, _)| number.parse::<usize>().ok());
        ensure!(
            number == Some(place) && Path::new(name).extension().is_some_and(|end| end == "patch"),
            "{name} is no patch of the history: expected number {place}"
        );
    }
    Ok(names)
}

/// Lines of a name and a subject.
fn parse(log: &str) -> Result<Vec<Commit>> {
    log.lines()
        .map(|line| {
            let (sha, subject) = line.split_once(' ').with_context(|| format!("git logged {line:?}"))?;
            Ok(Commit { sha: sha.to_owned(), subject: subject.to_owned() })
        })
        .collect()
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    Ok(command(folder)?.arguments(arguments).run_silently()?.successful()?.output)
}

/// Git without anybody's settings, which would make other commits of the same patches.
fn command(folder: &Path) -> Result<Tool> {
    Ok(Tool::named("git")?
        .folder(folder)
        .variable("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .variable("GIT_CONFIG_NOSYSTEM", "1")
        .variable("GIT_COMMITTER_NAME", "Courier")
        .variable("GIT_COMMITTER_EMAIL", "team@courier.example"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_come_in_the_order_of_their_numbers_and_none_lacks() {
        let names = |names: &[&str]| in_order(names.iter().map(|name| (*name).to_owned()).collect());
        let ordered = names(&["0002-b.patch", PULL_REQUEST_PATCH, "0001-a.patch"]).unwrap();
        assert_eq!(ordered, ["0001-a.patch", "0002-b.patch"]);
        let error = names(&["0001-a.patch", "0003-c.patch"]).unwrap_err().to_string();
        assert_eq!(error, "0003-c.patch is no patch of the history: expected number 2");
        assert!(names(&["0001-a.patch", "notes.txt"]).is_err());
    }

    #[test]
    fn a_line_of_the_log_is_a_commit() {
        let commit = |sha: &str, subject: &str| Commit { sha: sha.into(), subject: subject.into() };
        assert_eq!(
            parse("a1 One\nb2 Two words\n").unwrap(),
            [commit("a1", "One"), commit("b2", "Two words")]
        );
        assert!(parse("a1").is_err());
    }

    #[test]
    fn the_same_patches_make_the_same_commits() {
        let (one, other) = (History::make().unwrap(), History::make().unwrap());
        assert_eq!(one.commits, other.commits);
        assert_eq!(one.proposed, other.proposed);
        assert_eq!(one.commits.len(), *super::super::WHOLE.commits.end());
        assert_eq!(one.commits[20].subject, "Send a message in parts", "the one that makes messages slower");
    }
}
