//! What the git repository says of the commit that is checked out. Asked of the `git` command, so that every kind
//! of repository that it reads is read.

use crate::failure::Failure;
use chrono::{DateTime, Utc};
use roundtrip_wire::{Commit, CommitSha};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// First-parent ancestors that are sent along: enough for a server to order whatever arrives next.
const HISTORY_COMMITS: u32 = 500;

#[derive(Clone, Debug)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    /// Of the remote, else of the folder.
    pub(crate) name: String,
    pub(crate) branch: Option<String>,
    /// The branch that the clone was made of, if it says so.
    pub(crate) default_branch: Option<String>,
    pub(crate) commit: Commit,
    /// Its first-parent ancestors, the nearest first.
    pub(crate) history: Vec<Commit>,
    pub(crate) work_tree_modified: bool,
}

impl Repository {
    pub(crate) fn read(git: &Git) -> crate::Result<Self> {
        let root = git.root().map_err(|error| {
            let mend = if git.is_named { "name" } else { "run it in" };
            Failure::Other(format!(
                "{error}\nresults are filed under a commit: {mend} the checkout that is measured"
            ))
        })?;
        let (commit, history) = line(git, "HEAD")?;
        let remote = git.ask(&["remote", "get-url", "origin"]).ok();
        let name = remote.as_deref().and_then(last_part).or_else(|| root.file_name()?.to_str());
        Ok(Self {
            name: name.unwrap_or("unnamed").to_owned(),
            branch: git.ask(&["symbolic-ref", "--short", "-q", "HEAD"]).ok().map(|name| name.trim().into()),
            default_branch: git
                .ask(&["symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD"])
                .ok()
                .and_then(|name| name.trim().strip_prefix("origin/").map(str::to_owned)),
            work_tree_modified: !git.ask(&["status", "--porcelain", "--untracked-files=no"])?.is_empty(),
            root,
            commit,
            history,
        })
    }

    /// A commit of a repository in which nothing is checked out, and whose name somebody else knows.
    pub(crate) fn of_commit(git: &Git, commit: &CommitSha, name: &str) -> crate::Result<Self> {
        let (commit, history) = line(git, commit.as_str())?;
        Ok(Self {
            root: git.folder.clone(),
            name: name.to_owned(),
            branch: None,
            default_branch: None,
            commit,
            history,
            work_tree_modified: false,
        })
    }
}

fn line(git: &Git, revision: &str) -> crate::Result<(Commit, Vec<Commit>)> {
    let count = format!("--max-count={}", HISTORY_COMMITS + 1);
    let format = "--format=%H%x1f%P%x1f%cI%x1f%an%x1f%s";
    let log = git.ask(&["log", "--first-parent", &count, format, revision, "--"])?;
    let mut commits = log.lines().map(parse).collect::<crate::Result<Vec<Commit>>>()?;
    if git.ask(&["rev-parse", "--is-shallow-repository"])?.trim() == "false" {
        let length = git.ask(&["rev-list", "--first-parent", "--count", revision, "--"])?;
        number(&mut commits, length.trim().parse().map_err(|_| unexpected("rev-list", &length))?);
    }
    if commits.is_empty() {
        return Err(Failure::Other("git shows no commit to measure: commit first".into()));
    }
    let commit = commits.remove(0);
    Ok((commit, commits))
}

#[derive(Debug)]
pub(crate) struct Git {
    folder: PathBuf,
    is_named: bool,
    /// How it fetches, where it does.
    protocols: Option<&'static str>,
}

impl Git {
    /// In the folder where this command runs. Git asks who owns the repository: it is only where we happen to be.
    pub(crate) fn here() -> Self {
        Self { folder: ".".into(), is_named: false, protocols: None }
    }

    /// In a folder that somebody has named, and trusts thereby: a service reads what another user owns.
    pub(crate) fn named(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_named: true, protocols: None }
    }

    /// The same where nobody can be asked anything: it fetches over these protocols alone, runs no hooks, and fails where it
    /// would ask for a password.
    pub(crate) fn quiet(self, protocols: &'static str) -> Self {
        Self { protocols: Some(protocols), ..self }
    }

    pub(crate) fn root(&self) -> crate::Result<PathBuf> {
        Ok(PathBuf::from(self.ask(&["rev-parse", "--show-toplevel"])?.trim_end()))
    }

    pub(crate) fn head(&self) -> crate::Result<CommitSha> {
        let answer = self.ask(&["rev-parse", "--verify", "HEAD"])?;
        CommitSha::parse(answer.trim()).map_err(|_| unexpected("rev-parse", &answer))
    }

    pub(crate) fn ask(&self, arguments: &[&str]) -> crate::Result<String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        if self.is_named {
            // We only read: no file of the repository is written, no program that it names is run (git-config(1)).
            command.args(["--no-optional-locks", "-c", "safe.directory=*", "-c", "core.fsmonitor=false"]);
        }
        if let Some(protocols) = self.protocols {
            command.args(["-c", "core.hooksPath=/dev/null"]);
            command.env("GIT_ALLOW_PROTOCOL", protocols).env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
        }
        let output = command.args(arguments).output().map_err(|error| {
            Failure::Other(format!(
                "git is needed to know which commit is measured, and does not start: {error}"
            ))
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Other(format!(
            "git {} in {}: {}",
            arguments.first().unwrap_or(&""),
            self.folder.display(),
            complaint.trim().lines().next().unwrap_or("failed")
        )))
    }
}

/// Numbers the commits along the first-parent path: the first has as many as the path is long.
fn number(commits: &mut [Commit], length: u64) {
    for (ordinal, commit) in (1..=length).rev().zip(commits) {
        commit.first_parent_ordinal = Some(ordinal);
    }
}

fn parse(line: &str) -> crate::Result<Commit> {
    let mut fields = line.splitn(5, '\x1f');
    let mut field = || fields.next().unwrap_or_default();
    let sha = |text: &str| CommitSha::parse(text).map_err(|_| unexpected("log", line));
    let (name, parents, time, author, subject) = (field(), field(), field(), field(), field());
    Ok(Commit {
        sha: sha(name)?,
        parents: parents.split_whitespace().map(sha).collect::<crate::Result<_>>()?,
        committed_at: DateTime::parse_from_rfc3339(time)
            .map_err(|_| unexpected("log", line))?
            .with_timezone(&Utc),
        author: shortened(author),
        subject: shortened(subject),
        first_parent_ordinal: None,
    })
}

/// A subject can be of any length; a report's texts cannot.
fn shortened(text: &str) -> String {
    text.chars().filter(|&character| character != '\0').take(1_000).collect()
}

fn unexpected(command: &str, text: &str) -> Failure {
    Failure::Other(format!("git {command} answered in an unexpected form: {}", text.trim()))
}

/// `roundtrip` of `ssh://host/team/roundtrip.git`.
fn last_part(url: &str) -> Option<&str> {
    let part = url.trim().trim_end_matches('/').rsplit(['/', ':']).next()?;
    let part = part.strip_suffix(".git").unwrap_or(part);
    (!part.is_empty()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let status = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args([
                "-c",
                "user.name=A. Author",
                "-c",
                "user.email=a@example.org",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .output()
            .unwrap();
        assert!(status.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&status.stderr));
    }

    fn repository_with_commits(subjects: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q"]);
        for subject in subjects {
            git(folder.path(), &["commit", "-q", "--allow-empty", "-m", subject]);
        }
        folder
    }

    #[test]
    fn a_clone_knows_the_default_branch_whatever_is_checked_out() {
        let (origin, parent) = (repository_with_commits(&["one"]), tempfile::tempdir().unwrap());
        let (from, clone) = (origin.path().to_str().unwrap(), parent.path().join("clone"));
        Git::named(parent.path()).ask(&["clone", "--quiet", from, "clone"]).unwrap();
        let git = Git::named(&clone);
        git.ask(&["checkout", "--quiet", "-b", "fix"]).unwrap();
        let read = Repository::read(&git).unwrap();
        assert_eq!((read.branch.as_deref(), read.default_branch.as_deref()), (Some("fix"), Some("main")));
        assert_eq!(Repository::read(&Git::named(origin.path())).unwrap().default_branch, None);
    }

    #[test]
    fn the_history_is_numbered_from_the_root() {
        let folder = repository_with_commits(&["one", "two", "three"]);
        let read = Repository::read(&Git::named(folder.path())).unwrap();
        assert_eq!((read.commit.subject.as_str(), read.commit.first_parent_ordinal), ("three", Some(3)));
        let history: Vec<_> = read
            .history
            .iter()
            .map(|commit| (commit.subject.as_str(), commit.first_parent_ordinal))
            .collect();
        assert_eq!(history, [("two", Some(2)), ("one", Some(1))]);
        assert_eq!(read.branch.as_deref(), Some("main"));
        assert!(!read.work_tree_modified);
    }

    #[test]
    fn a_repository_of_another_owner_is_read_only_if_it_is_named() {
        let folder = repository_with_commits(&["one"]);
        let given = Command::new("chown").args(["-R", "65534"]).arg(folder.path()).output();
        if !given.is_ok_and(|output| output.status.success()) {
            println!("not run, because only root can give files to another user");
            return;
        }
        Repository::read(&Git::named(folder.path())).unwrap();
        let here = Git { is_named: false, ..Git::named(folder.path()) };
        let refusal = Repository::read(&here).unwrap_err().to_string();
        assert!(refusal.contains("dubious ownership"), "{refusal}");
    }

    #[test]
    fn a_merged_branch_does_not_count() {
        let folder = repository_with_commits(&["one", "two"]);
        git(folder.path(), &["checkout", "-q", "-b", "side", "HEAD~1"]);
        git(folder.path(), &["commit", "-q", "--allow-empty", "-m", "aside"]);
        git(folder.path(), &["checkout", "-q", "main"]);
        git(folder.path(), &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        let read = Repository::read(&Git::named(folder.path())).unwrap();
        assert_eq!(read.commit.first_parent_ordinal, Some(3));
        assert_eq!(read.commit.parents.len(), 2);
        assert_eq!(read.history.len(), 2);
    }

    #[test]
    fn a_shallow_clone_claims_no_ordinal() {
        let origin = repository_with_commits(&["one", "two", "three"]);
        let clone = tempfile::tempdir().unwrap();
        let url = format!("file://{}", origin.path().display());
        git(clone.path(), &["clone", "-q", "--depth", "2", &url, "."]);
        let read = Repository::read(&Git::named(clone.path())).unwrap();
        assert_eq!(read.commit.first_parent_ordinal, None);
        assert_eq!(read.history.len(), 1);
    }

    #[test]
    fn a_changed_file_marks_the_work_tree_and_an_untracked_one_does_not() {
        let folder = repository_with_commits(&[]);
        std::fs::write(folder.path().join("tracked"), "a").unwrap();
        git(folder.path(), &["add", "tracked"]);
        git(folder.path(), &["commit", "-q", "-m", "one"]);
        std::fs::write(folder.path().join("untracked"), "a").unwrap();
        assert!(!Repository::read(&Git::named(folder.path())).unwrap().work_tree_modified);
        std::fs::write(folder.path().join("tracked"), "b").unwrap();
        assert!(Repository::read(&Git::named(folder.path())).unwrap().work_tree_modified);
    }

    #[test]
    fn a_folder_without_a_repository_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Repository::read(&Git::named(folder.path())).unwrap_err().to_string();
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
    }

    #[test]
    fn a_remote_gives_its_last_part() {
        for url in ["ssh://host/team/libfoo.git", "git@host:team/libfoo.git", "/srv/libfoo/", "libfoo"] {
            assert_eq!(last_part(url), Some("libfoo"), "{url}");
        }
    }
}
