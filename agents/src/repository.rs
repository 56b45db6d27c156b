//! Reads the checked-out commit from the repository, with the `git` command to support every kind of
//! repository.

use crate::failure::Failure;
use crate::output;
use chrono::{DateTime, Utc};
use roundtrip_wire::{Commit, CommitSha};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Instant;

/// Number of first-parent ancestors in a report: enough for the server to order later commits.
const HISTORY_COMMITS: u32 = 500;

#[derive(Clone, Debug)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    /// From the remote, else from the folder.
    pub(crate) name: String,
    pub(crate) branch: Option<String>,
    /// The default branch of the remote, if the clone has it.
    pub(crate) default_branch: Option<String>,
    /// [`Commit::absent`] only from [`Repository::here`].
    pub(crate) commit: Commit,
    /// Its first-parent ancestors, the nearest first.
    pub(crate) history: Vec<Commit>,
    pub(crate) work_tree_modified: bool,
}

impl Repository {
    pub(crate) fn read(git: &Git) -> crate::Result<Self> {
        let root = git.root().map_err(|error| {
            let action = if git.is_named { "Name" } else { "Run this in" };
            Failure::Other(format!(
                "Not a Git repository. {action} the checkout you want to measure.\n{error}"
            ))
        })?;
        let line = line(git, "HEAD")?;
        Self::of_work_tree(git, root, line)
    }

    /// The repository of the current folder. Without a commit before the first one, and outside of a repository: then it is
    /// the folder.
    pub(crate) fn here() -> crate::Result<Self> {
        let folder = std::env::current_dir()
            .map_err(|error| Failure::Other(format!("cannot find the current folder: {error}")))?;
        let no_commit = (Commit::absent(Utc::now()), Vec::new());
        if !is_in_git(&folder) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Self {
                name,
                root: folder,
                branch: None,
                default_branch: None,
                commit: no_commit.0,
                history: no_commit.1,
                work_tree_modified: false,
            });
        }
        let git = Git::here();
        match git.root() {
            Ok(root) if git.head().is_err() => Self::of_work_tree(&git, root, no_commit),
            _ => Self::read(&git),
        }
    }

    /// Checks that it has a commit, which an upload needs.
    pub(crate) fn check_commit(&self) -> crate::Result<()> {
        if !self.commit.is_absent() {
            return Ok(());
        }
        let (found, action) = if is_in_git(&self.root) {
            ("This repository has no commit", "Commit your changes first")
        } else {
            ("Not a Git repository", "Run this in the checkout you want to measure")
        };
        Err(Failure::Other(format!(
            "{found}, and an upload needs one. {action}, or leave out --upload (ROUNDTRIP_SERVER) to print the results only."
        )))
    }

    fn of_work_tree(
        git: &Git,
        root: PathBuf,
        (commit, history): (Commit, Vec<Commit>),
    ) -> crate::Result<Self> {
        Ok(Self {
            name: git.name(&root),
            branch: git.ask(&["symbolic-ref", "--short", "-q", "HEAD"]).ok().map(|name| name.trim().into()),
            default_branch: git
                .ask(&["symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD"])
                .ok()
                .and_then(|name| name.trim().strip_prefix("origin/").map(str::to_owned)),
            work_tree_modified: git.is_modified()?,
            root,
            commit,
            history,
        })
    }

    /// Another commit of the same repository and branch, in a work tree without changes.
    pub(crate) fn at(self, git: &Git, commit: &CommitSha) -> crate::Result<Self> {
        let (commit, history) = line(git, commit.as_str())?;
        Ok(Self { commit, history, work_tree_modified: false, ..self })
    }

    /// A commit of a bare mirror, with the given repository name.
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

/// Whether git finds a repository from here. Checked without git, which may be missing.
fn is_in_git(folder: &Path) -> bool {
    std::env::var_os("GIT_DIR").is_some() || folder.ancestors().any(|folder| folder.join(".git").exists())
}

fn line(git: &Git, revision: &str) -> crate::Result<(Commit, Vec<Commit>)> {
    let count = format!("--max-count={}", HISTORY_COMMITS + 1);
    let format = "--format=%H%x1f%P%x1f%cI%x1f%an%x1f%s";
    let log = git.ask(&["log", "--first-parent", &count, format, revision, "--"])?;
    let mut commits = log.lines().map(parse).collect::<crate::Result<Vec<Commit>>>()?;
    if !git.is_shallow()? {
        number(&mut commits, git.ordinal(revision)?);
    }
    if commits.is_empty() {
        return Err(Failure::Other("no commit to measure. Commit your changes first.".into()));
    }
    let commit = commits.remove(0);
    Ok((commit, commits))
}

/// `A..B`: the commits after A up to B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitRange {
    pub(crate) after: String,
    pub(crate) to: String,
}

impl FromStr for CommitRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("..") {
            Some((after, to)) if !after.is_empty() && !to.is_empty() && !to.starts_with('.') => {
                Ok(Self { after: after.to_owned(), to: to.to_owned() })
            }
            _ => Err("expected A..B, such as v1.4..main".into()),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Git {
    folder: PathBuf,
    is_named: bool,
    /// The allowed protocols, if it may fetch.
    protocols: Option<&'static str>,
}

impl Git {
    /// In the current folder. Git checks who owns the repository, because the user may be there by chance.
    pub(crate) fn here() -> Self {
        Self { folder: ".".into(), is_named: false, protocols: None }
    }

    /// In a folder named by the user, who trusts it: a service may read another user's repository.
    pub(crate) fn named(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_named: true, protocols: None }
    }

    /// In a folder of the agent, for repositories that the agent does not trust. Git uses only these protocols, fails instead of
    /// asking for a password, and runs no hooks and no filters: it reads only the configuration that the agent has written.
    pub(crate) fn of_agent(folder: &Path, protocols: &'static str) -> Self {
        Self { folder: folder.to_owned(), is_named: false, protocols: Some(protocols) }
    }

    pub(crate) fn root(&self) -> crate::Result<PathBuf> {
        Ok(PathBuf::from(self.ask(&["rev-parse", "--show-toplevel"])?.trim_end()))
    }

    /// The repository's name: from the remote, else from its folder.
    pub(crate) fn name(&self, root: &Path) -> String {
        let remote = self.remote();
        let name = remote.as_deref().and_then(last_part).or_else(|| root.file_name()?.to_str());
        name.unwrap_or("unnamed").to_owned()
    }

    /// The address of the remote.
    pub(crate) fn remote(&self) -> Option<String> {
        self.ask(&["remote", "get-url", "origin"]).ok()
    }

    /// The absolute path of the folder with the objects and references, which work trees share.
    pub(crate) fn common_folder(&self) -> crate::Result<PathBuf> {
        let path = self.folder.join(self.ask(&["rev-parse", "--git-common-dir"])?.trim_end());
        std::path::absolute(&path)
            .map_err(|error| Failure::Other(format!("cannot find {}: {error}", path.display())))
    }

    pub(crate) fn head(&self) -> crate::Result<CommitSha> {
        self.commit(&["rev-parse", "--verify", "HEAD"])
    }

    /// A command that prints the full name of a commit.
    pub(crate) fn commit(&self, arguments: &[&str]) -> crate::Result<CommitSha> {
        let answer = self.ask(arguments)?;
        CommitSha::parse(answer.trim()).map_err(|_| unexpected(arguments[0], &answer))
    }

    /// A branch whose first-parent history has this commit: the first of `preferred` that has it, else any.
    pub(crate) fn branch_with(&self, commit: &CommitSha, preferred: &[&str]) -> Option<String> {
        let contains = format!("--contains={commit}");
        let folders = ["refs/heads", "refs/remotes/origin"];
        let arguments = [&["for-each-ref", "--format=%(refname)", &contains][..], &folders].concat();
        let list = self.ask(&arguments).ok()?;
        let strip = |name: &str| -> Option<String> {
            let parts = folders.iter().find_map(|folder| name.strip_prefix(folder)?.strip_prefix('/'));
            parts.filter(|branch| *branch != "HEAD").map(str::to_owned)
        };
        let mut branches: Vec<(&str, String)> =
            list.lines().filter_map(|name| Some((name, strip(name)?))).collect();
        let rank =
            |branch: &str| preferred.iter().position(|name| *name == branch).unwrap_or(preferred.len());
        branches.sort_by_key(|(_, branch)| rank(branch));
        branches.into_iter().find(|(name, _)| self.is_on(name, commit)).map(|(_, branch)| branch)
    }

    /// Whether the first-parent history of a revision has this commit.
    pub(crate) fn is_on(&self, revision: &str, commit: &CommitSha) -> bool {
        let parents = format!("{commit}^@");
        let arguments = ["rev-list", "--first-parent", revision, "--not", &parents, "--"];
        let history = self.ask(&arguments).unwrap_or_default();
        history.lines().any(|sha| sha == commit.as_str())
    }

    /// The number of first-parent ancestors of a commit, with itself.
    pub(crate) fn ordinal(&self, commit: &str) -> crate::Result<u64> {
        let length = self.ask(&["rev-list", "--first-parent", "--count", commit, "--"])?;
        length.trim().parse().map_err(|_| unexpected("rev-list", &length))
    }

    /// Whether tracked files differ from the commit.
    pub(crate) fn is_modified(&self) -> crate::Result<bool> {
        Ok(!self.ask(&["status", "--porcelain", "--untracked-files=no"])?.is_empty())
    }

    /// Whether this is a tracked file.
    pub(crate) fn tracks(&self, path: &Path) -> bool {
        self.ask(&["ls-files", "--error-unmatch", "--", &path.to_string_lossy()]).is_ok()
    }

    /// Whether a folder has files that are neither tracked nor ignored.
    pub(crate) fn has_untracked(&self, folder: &Path) -> bool {
        let arguments = ["ls-files", "--others", "--exclude-standard", "--"];
        self.ask(&[&arguments[..], &[&folder.to_string_lossy()]].concat())
            .is_ok_and(|files| !files.is_empty())
    }

    pub(crate) fn is_shallow(&self) -> crate::Result<bool> {
        Ok(self.ask(&["rev-parse", "--is-shallow-repository"])?.trim() == "true")
    }

    pub(crate) fn ask(&self, arguments: &[&str]) -> crate::Result<String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        if self.is_named {
            // Read-only: git writes no file of the repository and runs no program that it configures
            // (git-config(1)).
            command.args(["--no-optional-locks", "-c", "safe.directory=*", "-c", "core.fsmonitor=false"]);
            command.args(["-c", "core.hooksPath=/dev/null"]);
        }
        if let Some(protocols) = self.protocols {
            command.args(["-c", "core.hooksPath=/dev/null"]);
            command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
            command.env("GIT_ALLOW_PROTOCOL", protocols).env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
        }
        let began = Instant::now();
        let output = command.args(arguments).output().map_err(|error| {
            Failure::Other(format!("cannot run git, which is needed to identify the commit: {error}"))
        })?;
        output::detail(began, || {
            format!("git -C {} {}", self.folder.display(), shell_words::join(arguments))
        });
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let error_text = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Other(format!(
            "git {} in {}: {}",
            arguments.first().unwrap_or(&""),
            self.folder.display(),
            error_text.trim().lines().next().unwrap_or("failed")
        )))
    }
}

/// Numbers the commits along the first-parent path, counting from its root.
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

/// Limits the length of a text for the report.
fn shortened(text: &str) -> String {
    text.chars().filter(|&character| character != '\0').take(1_000).collect()
}

fn unexpected(command: &str, text: &str) -> Failure {
    Failure::Other(format!("unexpected output of git {command}: {}", text.trim()))
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
        let settings = ["user.name=A. Author", "user.email=a@example.org", "init.defaultBranch=main"];
        let settings: Vec<&str> = settings.into_iter().flat_map(|setting| ["-c", setting]).collect();
        Git::named(folder).ask(&[&settings, arguments].concat()).unwrap();
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
    fn parses_a_range() {
        let range: CommitRange = "v1..main".parse().unwrap();
        assert_eq!((range.after.as_str(), range.to.as_str()), ("v1", "main"));
        for wrong in ["v1", "..main", "v1..", "v1...main", ""] {
            assert!(wrong.parse::<CommitRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn finds_the_default_branch() {
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
    fn numbers_history_from_the_root() {
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
    fn reads_foreign_repositories_only_if_named() {
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
    fn ignores_merged_branches() {
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
    fn shallow_clone_has_no_ordinal() {
        let origin = repository_with_commits(&["one", "two", "three"]);
        let clone = tempfile::tempdir().unwrap();
        let url = format!("file://{}", origin.path().display());
        git(clone.path(), &["clone", "-q", "--depth", "2", &url, "."]);
        let read = Repository::read(&Git::named(clone.path())).unwrap();
        assert_eq!(read.commit.first_parent_ordinal, None);
        assert_eq!(read.history.len(), 1);
    }

    #[test]
    fn only_tracked_changes_mark_the_work_tree() {
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
    fn names_a_folder_without_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        let error = Repository::read(&Git::named(folder.path())).unwrap_err().to_string();
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
    }

    #[test]
    fn names_the_repository_after_its_remote() {
        for url in ["ssh://host/team/libfoo.git", "git@host:team/libfoo.git", "/srv/libfoo/", "libfoo"] {
            assert_eq!(last_part(url), Some("libfoo"), "{url}");
        }
    }
}
