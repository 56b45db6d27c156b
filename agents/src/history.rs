//! The order in which `roundtrip agent --repository` measures the commits of a range.

use crate::cli::AgentArguments;
use crate::failure::Failure;
use crate::format::counted;
use crate::repository::{CommitRange, Git};
use crate::{revision, table};
use roundtrip_stats::Quartiles;
use roundtrip_wire::{CaseResult, CommitSha, MeasuredProgram, ProgramOrigin, RunReport};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
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

/// The range of the middle half of each case's p50s, in nanoseconds, by the case's name.
pub(crate) type Levels = BTreeMap<String, [u64; 2]>;

/// Smaller changes of a level are no reason to measure the commits between first.
const LEVEL_RATIO_MIN: f64 = 1.05;

/// Cases with a remembered level. More would make the file of the measured commits too large.
const LEVELS_MAX: usize = 64;

/// The levels of the cases that a commit can change: those of its programs, and imported ones.
pub(crate) fn levels(reports: &[RunReport]) -> crate::Result<Levels> {
    let is_own = |report: &RunReport, result: &CaseResult| {
        let is_program = |program: &MeasuredProgram| {
            program.origin == ProgramOrigin::Commit && program.transport == result.transport.slug
        };
        result.case.benchmark.is_some() || report.programs.iter().any(is_program)
    };
    let own = reports.iter().flat_map(|report| {
        report.results.iter().filter(move |result| is_own(report, result)).map(move |result| (report, result))
    });
    let mut levels = Levels::new();
    for (report, result) in own.take(LEVELS_MAX) {
        if let Some(Quartiles { q1, q3, .. }) = Quartiles::of(&table::p50s_ns(result)?) {
            let title = table::title(result, &report.results);
            levels.insert(format!("{title}: {}", table::name(result)), [q1, q3]);
        }
    }
    Ok(levels)
}

/// Whether a case of both has another level.
fn differ(one: &Levels, other: &Levels) -> bool {
    let is_above = |[_, top]: [u64; 2], [bottom, _]: [u64; 2]| bottom as f64 > top as f64 * LEVEL_RATIO_MIN;
    let mut both = one.iter().filter_map(|(case, level)| Some((*level, *other.get(case)?)));
    both.any(|(one, other)| is_above(one, other) || is_above(other, one))
}

/// The next of these commits, newest first. First the newest one. Then the middle of the longest gap between measured ones
/// with different levels; else, of all gaps, but only every `step`-th commit, counted from the oldest. Of equal gaps, the
/// newest.
pub(crate) fn next<'a>(
    commits: &'a [CommitSha],
    measured: &BTreeMap<&CommitSha, &Levels>,
    step: NonZeroUsize,
) -> Option<&'a CommitSha> {
    if let Some(newest) = commits.first().filter(|newest| !measured.contains_key(newest)) {
        return Some(newest);
    }
    let ends: Vec<usize> =
        (0..commits.len()).filter(|&place| measured.contains_key(&commits[place])).collect();
    let has_change = |pair: &[usize]| {
        let [newer, older] = [pair[0], pair[1]].map(|place| measured.get(&commits[place]));
        newer.zip(older).is_some_and(|(newer, older)| differ(newer, older))
    };
    let changed = ends.windows(2).filter(|pair| has_change(pair)).map(|pair| pair[0] + 1..pair[1]);
    if let Some(longest) = longest(changed) {
        return commits.get(longest.start + longest.len() / 2);
    }
    let due: Vec<usize> = due(commits.len(), step).collect();
    let is_measured = |place: &usize| measured.contains_key(&commits[*place]);
    let mut begin = 0;
    let gaps = due.split(is_measured).map(|gap| {
        let gap_begin = begin;
        begin += gap.len() + 1;
        gap_begin..gap_begin + gap.len()
    });
    let longest = longest(gaps)?;
    commits.get(due[longest.start + longest.len() / 2])
}

/// The places of every `step`-th commit, counted from the oldest one.
fn due(commits: usize, step: NonZeroUsize) -> impl Iterator<Item = usize> {
    (0..commits).filter(move |place| (commits - place).is_multiple_of(step.get()))
}

/// The number of commits that [`next`] returns as long as no levels differ.
pub(crate) fn left(
    commits: &[CommitSha],
    measured: &BTreeMap<&CommitSha, &Levels>,
    step: NonZeroUsize,
) -> usize {
    due(commits.len(), step).filter(|&place| !measured.contains_key(&commits[place])).count()
}

/// The longest of these ranges that is not empty; of equal ones, the first.
fn longest(ranges: impl Iterator<Item = Range<usize>>) -> Option<Range<usize>> {
    ranges.filter(|range| !range.is_empty()).reduce(
        |longest, range| {
            if range.len() > longest.len() { range } else { longest }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(count: usize) -> Vec<CommitSha> {
        (0..count).map(|number| CommitSha::parse(&format!("{number:040x}")).unwrap()).collect()
    }

    /// The order of measurements, if each commit has this level.
    fn order_with(count: usize, measured: &[usize], step: usize, level: impl Fn(usize) -> u64) -> Vec<usize> {
        let commits = commits(count);
        let levels: Vec<Levels> = (0..count)
            .map(|place| Levels::from([("case".to_owned(), [level(place), level(place) + 1])]))
            .collect();
        let mut measured: BTreeMap<&CommitSha, &Levels> =
            measured.iter().map(|&place| (&commits[place], &levels[place])).collect();
        let mut order = Vec::new();
        while let Some(next) = next(&commits, &measured, NonZeroUsize::new(step).unwrap()) {
            let place = commits.iter().position(|commit| commit == next).unwrap();
            measured.insert(next, &levels[place]);
            order.push(place);
        }
        order
    }

    fn order(count: usize, measured: &[usize]) -> Vec<usize> {
        order_with(count, measured, 1, |_| 1_000)
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

    #[test]
    fn measures_every_nth_commit_from_the_oldest() {
        // A newer commit does not move the others.
        assert_eq!(order_with(13, &[], 4, |_| 1_000), [0, 5, 1, 9]);
        assert_eq!(order_with(14, &[1, 2, 6, 10], 4, |_| 1_000), [0]);
    }

    #[test]
    fn bisects_where_levels_differ() {
        // Commit 6 made the program slower: newer commits have smaller numbers.
        let level = |place: usize| if place <= 6 { 1_500 } else { 1_000 };
        assert_eq!(order_with(13, &[], 4, level), [0, 5, 1, 9, 7, 6]);
        // Also before the other gaps.
        assert_eq!(order_with(9, &[0, 4, 8], 1, |place| if place < 4 { 1_500 } else { 1_000 })[..2], [2, 3]);
    }

    #[test]
    fn overlapping_levels_are_equal() {
        let levels = |low: u64, high: u64| Levels::from([("case".to_owned(), [low, high])]);
        assert!(!differ(&levels(1_000, 1_100), &levels(1_090, 1_500)));
        assert!(!differ(&levels(1_000, 1_000), &levels(1_049, 1_049)));
        assert!(differ(&levels(1_000, 1_000), &levels(1_051, 1_051)));
        assert!(!differ(&levels(1_000, 1_000), &Levels::new()));
    }
}
