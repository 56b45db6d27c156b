//! The order in which `roundtrip agent --repository` measures the commits of a range.

use crate::cli::AgentArguments;
use crate::failure::Failure;
use crate::format::counted;
use crate::repository::{CommitRange, Git};
use crate::revision;
use roundtrip_wire::CommitSha;
use std::collections::BTreeSet;
use std::path::Path;

/// Measured commits are remembered, so a range cannot have more.
pub(crate) const COMMITS_MAX: usize = 10_000;

/// A range of first-parent commits.
#[derive(Debug)]
pub(crate) struct History {
    after: CommitSha,
    /// The last commit and its branch; by default, the checked-out commit.
    to: Option<(CommitSha, Option<String>)>,
    /// The commits up to this one, newest first.
    commits: Option<(CommitSha, Vec<CommitSha>)>,
}

impl History {
    /// The range that the arguments name, if any. Rejects empty ranges.
    pub(crate) fn read(git: &Git, root: &Path, arguments: &AgentArguments) -> crate::Result<Option<Self>> {
        let (option, after, to) = match (&arguments.since, &arguments.commits) {
            (Some(after), _) => (format!("--since {after}"), after, None),
            (_, Some(CommitRange { after, to })) => (format!("--commits {after}..{to}"), after, Some(to)),
            (None, None) => return Ok(None),
        };
        if git.is_shallow()? {
            return Err(Failure::Usage(format!(
                "{option}: this clone is shallow. Get the whole history first: git fetch --unshallow"
            )));
        }
        let resolve = |name: &str| revision::resolve(git, root, name);
        let with_branch = |to: &String| resolve(to).map(|commit| (commit, branch(git, to)));
        let to = to.map(with_branch).transpose()?;
        let mut history = Self { after: resolve(after)?, to, commits: None };
        match history.commits(git, &git.head()?)?.len() {
            0 => Err(Failure::Usage(format!("{option}: no commits in this range. Pass an older one."))),
            count if count > COMMITS_MAX => Err(Failure::Usage(format!(
                "{option}: {}: expected at most {COMMITS_MAX}. Pass a newer one.",
                counted(count, "commit")
            ))),
            _ => Ok(Some(history)),
        }
    }

    /// The commits of the range, newest first.
    pub(crate) fn commits(&mut self, git: &Git, head: &CommitSha) -> crate::Result<&[CommitSha]> {
        let to = self.to.as_ref().map_or(head, |(to, _)| to);
        if self.commits.as_ref().is_none_or(|(known, _)| known != to) {
            let range = format!("{}..{to}", self.after);
            let listed = git.ask(&["rev-list", "--first-parent", &range, "--"])?;
            let commits = listed.lines().map(|line| {
                CommitSha::parse(line).map_err(|error| Failure::Other(format!("git rev-list: {error}")))
            });
            self.commits = Some((to.clone(), commits.collect::<crate::Result<_>>()?));
        }
        Ok(self.commits.as_ref().map_or(&[], |(_, commits)| commits))
    }

    /// The branch of the commits, if it is not the checked-out one.
    pub(crate) fn branch(&self) -> Option<&str> {
        self.to.as_ref().and_then(|(_, branch)| branch.as_deref())
    }
}

/// The branch that a revision names.
fn branch(git: &Git, revision: &str) -> Option<String> {
    let name = git.ask(&["rev-parse", "--symbolic-full-name", "--verify", revision]).ok()?;
    let name = name.trim();
    let remote = || name.strip_prefix("refs/remotes/")?.split_once('/').map(|(_, branch)| branch);
    name.strip_prefix("refs/heads/").or_else(remote).map(str::to_owned)
}

/// The next of these commits, newest first: the newest one, then the middle of the longest gap between measured
/// ones; of equal gaps, the newest.
pub(crate) fn next<'a>(commits: &'a [CommitSha], measured: &BTreeSet<&CommitSha>) -> Option<&'a CommitSha> {
    let is_measured = |commit: &CommitSha| measured.contains(commit);
    if let Some(newest) = commits.first().filter(|newest| !is_measured(newest)) {
        return Some(newest);
    }
    let mut longest: &[CommitSha] = &[];
    for gap in commits.split(is_measured) {
        if gap.len() > longest.len() {
            longest = gap;
        }
    }
    longest.get(longest.len() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(count: usize, measured: &[usize]) -> Vec<usize> {
        let commits: Vec<CommitSha> =
            (0..count).map(|number| CommitSha::parse(&format!("{number:040x}")).unwrap()).collect();
        let mut measured: BTreeSet<&CommitSha> = measured.iter().map(|&place| &commits[place]).collect();
        let mut order = Vec::new();
        while let Some(next) = next(&commits, &measured) {
            measured.insert(next);
            order.push(commits.iter().position(|commit| commit == next).unwrap());
        }
        order
    }

    #[test]
    fn newest_first_then_the_middle_of_the_longest_gap() {
        assert_eq!(order(8, &[]), [0, 4, 2, 6, 1, 3, 5, 7]);
        assert_eq!(order(2, &[]), [0, 1]);
        assert_eq!(order(0, &[]), [0; 0]);
    }

    #[test]
    fn resumes_between_measured_commits() {
        assert_eq!(order(8, &[0, 4, 2]), [6, 1, 3, 5, 7]);
        assert_eq!(order(9, &[0, 1, 8]), [5, 3, 7, 2, 4, 6]);
        assert_eq!(order(3, &[0, 1, 2]), [0; 0]);
    }
}
