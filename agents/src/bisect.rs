//! `roundtrip bisect`: finds the commit that made a case slower, in alternated pairs of each measured commit and the
//! good one.

use crate::ab::{self, Source};
use crate::cli::{BisectArguments, Format, Sides};
use crate::comparison::{self, Line};
use crate::failure::Failure;
use crate::format::{change_interval, counted, signed_percent};
use crate::programs::identical::{self, Build};
use crate::repository::Git;
use crate::revision::{self, Revision};
use crate::settings::{self, Settings};
use crate::stop::StopSignal;
use crate::{output, run, stop, table};
use roundtrip_bench::definition::Plan;
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::harness::ab::{Compared, Comparison, Pair, measure_pairs, run_until, unmeasured};
use roundtrip_stats::bisection::{Bisection, Signal, Step, Suspects};
use roundtrip_stats::shift;
use roundtrip_wire::{CaseResult, CommitSha, Verdict};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// The first-parent ancestors that are searched by default on the default branch.
const COMMITS_BEFORE: u32 = 50;

/// Less probable commits are not listed, unless they were measured or skipped.
const LISTED_MIN: f64 = 0.01;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    outcome: Outcome,
    good: Commit,
    bad: Commit,
    /// The comparison of both, for each selected case. Cases with identical programs come last.
    cases: Vec<Line>,
    /// The case of the search; absent if no case is slower.
    case: Option<String>,
    culprit: Option<Culprit>,
    /// The commits after good up to bad, oldest first.
    commits: Vec<Candidate>,
    /// Started builds, including failed ones.
    builds: usize,
    /// Pairs of repetitions.
    pairs: usize,
    /// Duration of the search, including builds.
    seconds: f64,
    order_seed: u64,
    /// The smallest slowdown that would have been found with a probability of 0.9 in each case that is not slower, as
    /// a share; absent if a case is slower.
    detectable: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Found,
    /// One of several commits, which include skipped ones.
    Range,
    NoChange,
    Inconclusive,
}

#[derive(Clone, Debug, Serialize)]
struct Commit {
    sha: CommitSha,
    subject: String,
}

/// The commits that may have made the change: one, or the last one and those skipped right before it.
#[derive(Debug, Serialize)]
struct Culprit {
    commits: Vec<Commit>,
    probability: f64,
    /// The comparison with the commit before them.
    comparison: Line,
    /// The command that searches the branch of a merge.
    search_of_merge: Option<String>,
}

#[derive(Debug, Serialize)]
struct Candidate {
    #[serde(flatten)]
    commit: Commit,
    /// That it made the change.
    probability: f64,
    pairs: usize,
    /// Change of the time relative to good, as a share; absent if not measured.
    change: Option<f64>,
    /// Why it was not measured, if it was tried.
    skipped: Option<String>,
    /// The commit before it that runs the same program, if one is known: then it was not measured.
    identical_to: Option<CommitSha>,
}

pub(crate) fn bisect(arguments: &BisectArguments) -> crate::Result<()> {
    let began = Instant::now();
    let git = arguments.repository.as_deref().map_or_else(Git::here, Git::named);
    let root = git.root().ok();
    let settings = root.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
    let timeout = arguments.commands.timeout;
    let source = Source { git: &git, root: root.as_deref(), settings: &settings, timeout };
    let root = source.root()?;
    let plan = ab::plan(arguments.preset.as_deref(), Sides::Revision, &source)?;
    let History { good, commits } = History::read(&git, root, arguments)?;
    let bad = commits.last().cloned().unwrap_or_else(|| good.clone());
    if git.is_modified()? {
        eprintln!("Uncommitted changes are not measured: each commit is built in its own worktree.");
    }
    eprintln!("Searching {}, first parents only.", counted(commits.len(), "commit"));

    let mut search = Search {
        source,
        plan: &plan,
        peer: run::peer()?,
        stop: stop::until_signalled()?,
        order_seed: arguments.seed.unwrap_or_else(rand::random),
        good: None,
        builds: commits.iter().map(|_| None).collect(),
        good_files: None,
        files: commits.iter().map(|_| None).collect(),
        selected: Vec::new(),
        identical_to: vec![None; commits.len()],
        log_ratios: vec![Vec::new(); commits.len()],
        skipped: vec![None; commits.len()],
        commits,
        started: 0,
        pairs: 0,
        bisection: None,
    };
    let compared = search.compare_ends(&good, &bad, arguments.case.as_deref())?;
    let found = match compared.slowest() {
        Some(case) => search.find(case, &compared, arguments.confidence)?,
        None => None,
    };
    let slowest = compared.slowest().map(|case| compared.lines[case].case.clone());
    let outcome = match &found {
        Some(culprit) if culprit.commits.len() == 1 => Outcome::Found,
        Some(_) => Outcome::Range,
        None if compared.is_unchanged() => Outcome::NoChange,
        None => Outcome::Inconclusive,
    };
    let detectable = match slowest {
        Some(_) => None,
        None => {
            let not_slower = [Verdict::NoChange, Verdict::Improved];
            comparison::detectable(&compared.results, &compared.lines, &settings.rule(), &not_slower)
        }
    };
    let answer = Answer {
        outcome,
        good,
        bad,
        case: slowest,
        culprit: found,
        commits: search.candidates(),
        builds: search.started,
        pairs: search.pairs,
        seconds: began.elapsed().as_secs_f64(),
        order_seed: search.order_seed,
        detectable,
        cases: [compared.lines, compared.identical].concat(),
    };
    // Remove the worktrees before printing, which may fail.
    drop(search.builds);
    match arguments.format {
        Format::Json => output::print_json(&answer)?,
        Format::Human => output::print(&answer.render())?,
    }
    match answer.outcome {
        Outcome::Found | Outcome::Range => Ok(()),
        Outcome::NoChange => Err(Failure::Inconclusive("no commit found: no case is slower".into())),
        Outcome::Inconclusive => Err(Failure::Inconclusive("no commit found: inconclusive".into())),
    }
}

// The commits to search.

struct History {
    good: Commit,
    /// After good up to bad, oldest first.
    commits: Vec<Commit>,
}

impl History {
    fn read(git: &Git, root: &Path, arguments: &BisectArguments) -> crate::Result<Self> {
        let is_shallow = git.is_shallow()?;
        let invalid =
            |problem: String| Failure::Usage(problem + if is_shallow { revision::SHALLOW } else { "" });
        let resolve = |name: &str| revision::resolve(git, root, name);
        let bad = resolve(&arguments.bad)?;
        let good = match &arguments.good {
            Some(name) => resolve(name)?,
            None => match default_good(git, &bad) {
                Some(good) => good,
                None => {
                    return Err(invalid(
                        "no default for --good: no earlier commit has roundtrip.toml. Pass --good REV, a commit \
                         before the slowdown; older commits are measured with the program of your checkout."
                            .into(),
                    ));
                }
            },
        };
        let is_ancestor = |one: &CommitSha, other: &CommitSha| {
            git.ask(&["merge-base", "--is-ancestor", one.as_str(), other.as_str()]).is_ok()
        };
        let (good_short, bad_short) = (good.short(), bad.short());
        if good == bad {
            return Err(invalid(format!(
                "--good and --bad are the same commit, {good_short}. Pass another --good."
            )));
        }
        if is_ancestor(&bad, &good) {
            return Err(invalid(format!("--good {good_short} is newer than --bad {bad_short}. Swap them.")));
        }
        if !is_ancestor(&good, &bad) {
            let base = merge_base(git, good.as_str(), bad.as_str());
            let hint = base.map(|base| format!(" Pass their merge base: --good {}", base.short()));
            return Err(invalid(format!(
                "--good {good_short} is not an ancestor of --bad {bad_short}.{}",
                hint.unwrap_or_default()
            )));
        }
        let commits = log(git, &["--first-parent", "--reverse", &format!("{good}..{bad}")])?;
        let oldest = commits.first().map_or(&bad, |commit| &commit.sha);
        let before = git.commit(&["rev-parse", "--verify", &format!("{oldest}^")]).ok();
        if before.as_ref() != Some(&good) {
            let hint = before.map(|before| format!(", such as --good {}", before.short()));
            return Err(invalid(format!(
                "--good {good_short} is on a merged branch, and only first parents are searched. Pass a commit of `git log \
                 --first-parent {bad_short}`{}",
                hint.unwrap_or_default()
            )));
        }
        let good = log(git, &["--max-count=1", good.as_str()])?.swap_remove(0);
        Ok(Self { good, commits })
    }
}

/// The commits that `git log` lists.
fn log(git: &Git, arguments: &[&str]) -> crate::Result<Vec<Commit>> {
    let log = git.ask(&[&["log", "--format=%H%x1f%s"], arguments, &["--"]].concat())?;
    log.lines().map(Commit::parse).collect()
}

fn merge_base(git: &Git, one: &str, other: &str) -> Option<CommitSha> {
    git.commit(&["merge-base", one, other]).ok()
}

/// The merge base with the default branch; on that branch, a fixed number of commits before, or its first commit. Never a commit
/// before the one that added the settings: it has no program to measure.
fn default_good(git: &Git, bad: &CommitSha) -> Option<CommitSha> {
    let branches = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
    let exists = |branch: &&str| git.ask(&["rev-parse", "--verify", "--quiet", branch]).is_ok();
    let branch = branches.into_iter().find(exists);
    let base = branch.and_then(|branch| merge_base(git, branch, bad.as_str()));
    let settings = format!(":/{}", settings::FILE);
    let added =
        ["log", "--first-parent", "-m", "--diff-filter=A", "--max-count=1", "--format=%H", bad.as_str()];
    let added = git.commit(&[&added[..], &["--", &settings]].concat()).ok();
    let has_settings = |commit: &CommitSha| {
        added.is_none() || git.ask(&["cat-file", "-e", &format!("{commit}:{}", settings::FILE)]).is_ok()
    };
    if let Some(base) = base.filter(|base| base != bad && has_settings(base)) {
        return Some(base);
    }
    let count = format!("--max-count={}", COMMITS_BEFORE + 1);
    let mut before = log(git, &["--first-parent", &count, bad.as_str()]).ok()?;
    if let Some(place) = before.iter().position(|commit| Some(&commit.sha) == added.as_ref()) {
        before.truncate(place + 1);
    }
    let good = before.pop()?.sha;
    (good != *bad).then_some(good)
}

/// The command that searches the branch that a merge merged; `None` for other commits.
fn search_of_merge(git: &Git, sha: &CommitSha) -> Option<String> {
    let base = merge_base(git, &format!("{sha}^1"), &format!("{sha}^2"))?;
    Some(format!("roundtrip bisect --good {} --bad {}^2", base.short(), sha.short()))
}

impl Commit {
    /// Reads a line of `git log`.
    fn parse(line: &str) -> crate::Result<Self> {
        let (sha, subject) = line.split_once('\x1f').unwrap_or((line, ""));
        let sha = CommitSha::parse(sha).map_err(|error| Failure::Other(format!("git log: {error}")))?;
        Ok(Self { sha, subject: subject.to_owned() })
    }
}

// The search.

struct Search<'a> {
    source: Source<'a>,
    plan: &'a Plan,
    peer: PeerCommand,
    stop: StopSignal,
    order_seed: u64,
    good: Option<Revision>,
    commits: Vec<Commit>,
    /// The build of each commit, made once.
    builds: Vec<Option<Revision>>,
    /// What these builds run.
    good_files: Option<Build>,
    files: Vec<Option<Build>>,
    /// The places of the selected cases in the plan's pairs.
    selected: Vec<usize>,
    /// The commit before each one with an identical program.
    identical_to: Vec<Option<CommitSha>>,
    /// The pairs of each commit with good.
    log_ratios: Vec<Vec<f64>>,
    skipped: Vec<Option<String>>,
    started: usize,
    pairs: usize,
    bisection: Option<Bisection>,
}

/// The comparison of good and bad.
struct ComparedEnds {
    /// The places of the measured cases in the plan's pairs.
    places: Vec<usize>,
    results: Vec<Compared>,
    lines: Vec<Line>,
    /// The cases with identical programs.
    identical: Vec<Line>,
}

impl ComparedEnds {
    /// The case that is slower by most.
    fn slowest(&self) -> Option<usize> {
        let change = |case: &usize| self.lines[*case].change.unwrap_or_default();
        let slower = |case: &usize| self.lines[*case].verdict == Verdict::Regressed;
        (0..self.lines.len()).filter(slower).max_by(|one, other| change(one).total_cmp(&change(other)))
    }

    fn is_unchanged(&self) -> bool {
        let undecided = [Verdict::Inconclusive, Verdict::NotComparable];
        self.slowest().is_none() && !self.lines.iter().any(|line| undecided.contains(&line.verdict))
    }
}

impl<'a> Search<'a> {
    /// Compares good and bad in all selected cases.
    fn compare_ends(
        &mut self,
        good: &Commit,
        bad: &Commit,
        asked: Option<&str>,
    ) -> crate::Result<ComparedEnds> {
        self.selected = self.select(asked)?;
        let good = self.end("good", good)?;
        self.good_files = Some(Build::new(good.path()));
        self.good = Some(good);
        let last = self.commits.len() - 1;
        let bad = self.end("bad", bad)?;
        self.files[last] = Some(Build::new(bad.path()));
        self.builds[last] = Some(bad);
        let pairs = self.pairs_of(None, last)?;
        let is_identical = self.are_identical(None, last)?;
        let (identical, places): (Vec<_>, Vec<_>) =
            self.selected.iter().zip(is_identical).partition(|(_, is_identical)| *is_identical);
        let rule = self.source.settings.rule();
        let line =
            |(place, _): (&usize, bool)| comparison::identical(&unmeasured(&pairs[*place].base), &rule);
        let identical = identical.into_iter().map(line).collect::<crate::Result<Vec<_>>>()?;
        let places: Vec<usize> = places.into_iter().map(|(&place, _)| place).collect();
        if places.is_empty() {
            return Ok(ComparedEnds { places, results: Vec::new(), lines: Vec::new(), identical });
        }
        let (results, lines) = self.compare(places.iter().map(|&place| pairs[place].clone()).collect())?;
        if lines.iter().all(|line| line.ratio.is_none()) {
            let reasons = lines.iter().flat_map(|line| line.reasons.iter().map(|reason| of_ends(reason)));
            return Err(Failure::NotComparable(format!(
                "no case has results at both ends. Pass commits that have the case.\n{}",
                reasons.collect::<Vec<_>>().join("\n")
            )));
        }
        Ok(ComparedEnds { places, results, lines, identical })
    }

    /// The places of the cases whose name contains this text, among the cases of programs.
    fn select(&self, asked: Option<&str>) -> crate::Result<Vec<usize>> {
        let cases = self.plan.cases.iter().filter(|case| case.declared().is_some());
        let names: Vec<String> = cases.map(|case| table::describe(&unmeasured(case))).collect();
        if names.is_empty() {
            return Err(ab::without_cases(self.plan, Sides::Revision));
        }
        ab::select(&names, asked)
    }

    /// Builds good or bad, without which there is no search.
    fn end(&mut self, name: &str, commit: &Commit) -> crate::Result<Revision> {
        self.build(&commit.sha)?.map_err(|reason| {
            Failure::Other(format!(
                "{}\n--{name} {} must build. Pass another --{name}.",
                reason,
                commit.sha.short()
            ))
        })
    }

    /// Builds a commit in its own worktree. The inner error is why it does not build.
    fn build(&mut self, sha: &CommitSha) -> crate::Result<Result<Revision, String>> {
        self.check_stop()?;
        self.started += 1;
        let source = self.source;
        let built = source.build(sha.as_str(), &mut self.stop);
        self.check_stop()?;
        Ok(built.map_err(|failure| failure.to_string()))
    }

    /// Builds a commit, unless it was built or skipped before. Returns whether it can be measured.
    fn is_built(&mut self, commit: usize) -> crate::Result<bool> {
        if self.builds[commit].is_none() && self.skipped[commit].is_none() {
            let sha = self.commits[commit].sha.clone();
            match self.build(&sha)? {
                Ok(revision) => {
                    self.files[commit] = Some(Build::new(revision.path()));
                    self.builds[commit] = Some(revision);
                    self.exclude_identical(commit)?;
                }
                Err(reason) => self.skip(commit, reason),
            }
        }
        Ok(self.skipped[commit].is_none())
    }

    /// Excludes the commits between this one and another that runs the same programs.
    fn exclude_identical(&mut self, commit: usize) -> crate::Result<()> {
        let built = (0..self.commits.len()).filter(|&other| other != commit && self.builds[other].is_some());
        for other in std::iter::once(None).chain(built.map(Some).collect::<Vec<_>>()) {
            let (before, last) = match other {
                Some(other) if other > commit => (Some(commit), other),
                other => (other, commit),
            };
            if !self.are_identical(before, last)?.into_iter().all(|is_identical| is_identical) {
                continue;
            }
            let excluded = before.map_or(0, |before| before + 1)..=last;
            let sha = before.map(|before| self.commits[before].sha.clone());
            let sha = sha.or_else(|| self.good.as_ref().map(|good| good.commit.clone()));
            if let (Some(bisection), Some(sha)) = (&mut self.bisection, sha)
                && bisection.exclude(excluded)
            {
                eprintln!("{}: runs the same program as {}", self.commits[last].sha.short(), sha.short());
                self.identical_to[last] = Some(sha);
            }
        }
        Ok(())
    }

    /// Which of the selected cases run the same program in two built commits; `None` is good.
    fn are_identical(&mut self, base: Option<usize>, head: usize) -> crate::Result<Vec<bool>> {
        let pairs = self.pairs_of(base, head)?;
        let pairs: Vec<Pair> = self.selected.iter().map(|&place| pairs[place].clone()).collect();
        let builds = match base {
            None => self.good_files.as_mut().zip(self.files[head].as_mut()).map(|(base, head)| [base, head]),
            Some(base) => {
                let (before, from) = self.files.split_at_mut(head);
                before[base].as_mut().zip(from[0].as_mut()).map(|(base, head)| [base, head])
            }
        };
        let (deadline, peer) = (self.plan.deadline, &self.peer);
        let unknown = || vec![false; pairs.len()];
        Ok(builds.map_or_else(unknown, |builds| identical::of_pairs(builds, &pairs, deadline, peer)))
    }

    fn skip(&mut self, commit: usize, reason: String) {
        eprintln!("{}: skipped", self.commits[commit].sha.short());
        self.skipped[commit] = Some(reason);
        self.log_ratios[commit].clear();
        if let Some(bisection) = &mut self.bisection {
            bisection.skip(commit);
        }
    }

    /// Every case of the plan with the programs of two built commits; `None` is good.
    fn pairs_of(&self, base: Option<usize>, head: usize) -> crate::Result<Vec<Pair>> {
        let built = |revision: &Option<Revision>| match revision {
            Some(revision) => ab::within(self.plan, revision),
            None => Err(Failure::Other("a commit is compared before it is built".into())),
        };
        let base = base.map_or(&self.good, |base| &self.builds[base]);
        Ok(ab::zip(&built(base)?, &built(&self.builds[head])?))
    }

    /// Compares pairs by the rule of `roundtrip ab`.
    fn compare(&mut self, pairs: Vec<Pair>) -> crate::Result<(Vec<Compared>, Vec<Line>)> {
        let rule = self.source.settings.rule();
        let comparison = Comparison { pairs, deadline: self.plan.deadline, rule, budget: None };
        let stop = &mut self.stop;
        let ended = run_until(&comparison, &self.peer, self.order_seed, &mut |_| stop.check());
        let ControlFlow::Continue(outcome) = ended else { return Err(stopped()) };
        let lines = ab::lines(&outcome.results, &comparison.rule)?;
        self.pairs += outcome.results.iter().map(|case| case.pairs.len()).sum::<usize>();
        Ok((outcome.results, lines))
    }

    /// Finds the commit that made this case slower.
    fn find(&mut self, case: usize, ends: &ComparedEnds, confidence: f64) -> crate::Result<Option<Culprit>> {
        let (place, compared, line) = (ends.places[case], &ends.results[case], &ends.lines[case]);
        eprintln!("{} is slower: {}", line.case, change(line));
        let effect = compared.row.p50.shift.map_or(0.0, |shift| shift.estimate);
        let signal = Signal::new(effect, &comparison::log_ratios(compared))
            .ok_or_else(|| Failure::Other(format!("{}: the change has no size", line.case)))?;
        let mut bisection = Bisection::new(self.commits.len(), signal, confidence);
        (0..self.commits.len())
            .filter(|&commit| self.skipped[commit].is_some())
            .for_each(|commit| bisection.skip(commit));
        self.bisection = Some(bisection);
        if let Some(last) = self.log_ratios.last_mut() {
            *last = comparison::log_ratios(compared);
        }
        loop {
            let suspects = match self.step() {
                Step::Measure(commit) => {
                    self.measure(place, commit)?;
                    continue;
                }
                Step::Confirm(suspects) => suspects,
                Step::End => return Ok(None),
            };
            let Some(comparison) = self.compare_with_parent(place, &suspects, line)? else { continue };
            let Suspects { first, last, .. } = suspects;
            let is_confirmed = comparison.verdict == Verdict::Regressed;
            let result = if is_confirmed { change(&comparison) } else { comparison.verdict_text() };
            eprintln!("{} and the commit before: {result}", self.commits[last].sha.short());
            if let Some(bisection) = &mut self.bisection {
                bisection.confirm(&suspects, is_confirmed);
            }
            if !is_confirmed {
                continue;
            }
            let probability = self.probabilities()[first..=last].iter().sum();
            if probability < confidence {
                return Ok(None);
            }
            let commits = self.commits[first..=last].to_vec();
            let search_of_merge =
                (first == last).then(|| search_of_merge(self.source.git, &commits[0].sha)).flatten();
            return Ok(Some(Culprit { commits, probability, comparison, search_of_merge }));
        }
    }

    /// Compares the newest suspect with the commit before all suspects. Returns `None` if one of the two must be skipped.
    /// `ends` is the comparison of good and bad.
    fn compare_with_parent(
        &mut self,
        place: usize,
        suspects: &Suspects,
        ends: &Line,
    ) -> crate::Result<Option<Line>> {
        let before = suspects.first.checked_sub(1);
        if before.is_none() && suspects.last + 1 == self.commits.len() {
            return Ok(Some(ends.clone()));
        }
        if let Some(before) = before
            && !self.is_built(before)?
        {
            return Ok(None);
        }
        if !self.is_built(suspects.last)? || self.identical_to[suspects.last].is_some() {
            return Ok(None);
        }
        let pair = self.pairs_of(before, suspects.last)?.swap_remove(place);
        let (_, mut lines) = self.compare(vec![pair])?;
        Ok(lines.pop())
    }

    /// Measures pairs of a commit with good until its level is known, or skips it.
    fn measure(&mut self, place: usize, commit: usize) -> crate::Result<()> {
        if !self.is_built(commit)? {
            return Ok(());
        }
        // Another commit with the same program may have decided it.
        if self.step() != Step::Measure(commit) {
            return Ok(());
        }
        let pair = self.pairs_of(None, commit)?.swap_remove(place);
        let Self { bisection, stop, .. } = self;
        let seed = self.order_seed.wrapping_add(commit as u64);
        let measured = measure_pairs(&pair, self.plan.deadline, &self.peer, seed, &mut |newest| {
            let Some(bisection) = bisection else { return false };
            if let Some(newest) = newest {
                bisection.add(commit, newest);
            }
            bisection.wants_more(commit) && stop.check().is_continue()
        });
        self.check_stop()?;
        self.pairs += measured.log_ratios.len();
        self.log_ratios[commit] = measured.log_ratios;
        if self.bisection.as_ref().is_some_and(|bisection| !bisection.wants_more(commit)) {
            let (pairs, change) = (self.log_ratios[commit].len(), self.change(commit).unwrap_or_default());
            let name = self.commits[commit].sha.short();
            eprintln!("{name}: {}, {}", counted(pairs, "pair"), signed_percent(change));
            return Ok(());
        }
        // A side failed.
        if let Some(reason) = failure(&measured.head) {
            self.skip(commit, reason);
            return Ok(());
        }
        let reason = failure(&measured.base).unwrap_or_default();
        Err(Failure::NotComparable(format!(
            "--good fails: {reason}. Pass another --good, or fix the program."
        )))
    }

    fn check_stop(&mut self) -> crate::Result<()> {
        if self.stop.check().is_break() { Err(stopped()) } else { Ok(()) }
    }

    fn change(&self, commit: usize) -> Option<f64> {
        shift::pseudomedian(&self.log_ratios[commit]).map(f64::exp_m1)
    }

    fn step(&self) -> Step {
        self.bisection.as_ref().map_or(Step::End, Bisection::step)
    }

    fn probabilities(&self) -> Vec<f64> {
        self.bisection.as_ref().map(Bisection::probabilities).unwrap_or_default()
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidate = |(place, probability): (usize, f64)| Candidate {
            commit: self.commits[place].clone(),
            probability,
            pairs: self.log_ratios[place].len(),
            change: self.change(place),
            skipped: self.skipped[place].clone(),
            identical_to: self.identical_to[place].clone(),
        };
        self.probabilities().into_iter().enumerate().map(candidate).collect()
    }
}

fn stopped() -> Failure {
    Failure::Stopped("Stopped by a signal before a commit was found. The worktrees were removed.".into())
}

/// Why a case has no results.
fn failure(result: &CaseResult) -> Option<String> {
    let failed = result.failures.first().map(|failure| failure.reason.clone());
    result.unsupported.clone().or(failed)
}

/// The reason of a side, with the names of this command.
fn of_ends(reason: &str) -> String {
    match (reason.strip_prefix("base:"), reason.strip_prefix("head:")) {
        (Some(reason), _) => format!("--good:{reason}"),
        (_, Some(reason)) => format!("--bad:{reason}"),
        _ => reason.to_owned(),
    }
}

// The answer as text.

/// A change with its interval.
fn change(line: &Line) -> String {
    let interval = line.change_interval.map(|ends| format!(" (95 % interval {})", change_interval(ends)));
    format!("{}{}", signed_percent(line.change.unwrap_or_default()), interval.unwrap_or_default())
}

fn probability(probability: f64) -> String {
    if probability > 0.995 { "> 0.99".into() } else { format!("{probability:.2}") }
}

impl Answer {
    fn render(&self) -> String {
        let mut lines = vec![self.sentence()];
        lines.extend(self.culprit.iter().flat_map(|culprit| self.notes(culprit)));
        if self.case.is_none() {
            lines.extend(self.other_cases());
        }
        if self.commits.len() > 1 {
            lines.push(format!("\n{}", self.table()));
        }
        lines.push(format!(
            "\n{}, {} and {} of repetitions, seed {}.",
            counted(self.commits.len().max(1), "commit"),
            counted(self.builds, "build"),
            counted(self.pairs, "pair"),
            self.order_seed
        ));
        lines.join("\n")
    }

    fn sentence(&self) -> String {
        let (good, bad) = (self.good.sha.short(), self.bad.sha.short());
        let Some(case) = &self.case else {
            let ends = format!("slower at {bad} than at {good}");
            return match self.detectable.filter(|_| self.outcome == Outcome::NoChange) {
                Some(detectable) => format!("No case is {ends}. A {}", comparison::power(detectable)),
                None if self.cases.iter().all(|line| line.identical) => {
                    format!("No case is {ends}: both run identical programs. Nothing was measured.")
                }
                None => format!("Inconclusive: no case is confirmed {ends}."),
            };
        };
        let Some(culprit) = &self.culprit else {
            return format!("{case} is slower at {bad} than at {good}, but no commit is confirmed.");
        };
        let first = culprit.commits.first().zip(culprit.commits.last());
        let name = first.map_or(String::new(), |(first, last)| match culprit.commits.len() {
            1 => format!("{} \"{}\"", last.sha.short(), last.subject),
            count => format!("One of {count} commits, {} to {}", first.sha.short(), last.sha.short()),
        });
        format!(
            "{name}: {}, probability {}, {:.0} s",
            change(&culprit.comparison),
            probability(culprit.probability),
            self.seconds
        )
    }

    fn notes(&self, culprit: &Culprit) -> Vec<String> {
        let mut notes = vec![format!("Case: {}", culprit.comparison.case)];
        if culprit.commits.len() > 1 {
            notes.push("All but the last could not be measured; see below.".into());
        }
        let total = self.cases.iter().find(|line| Some(&line.case) == self.case.as_ref());
        if let Some(total) = total
            && let (Some([low, high]), Some([least, most])) =
                (total.change_interval, culprit.comparison.change_interval)
            && (most < low || high < least)
        {
            notes.push(format!(
                "From --good to --bad: {}. Other commits changed the case too.",
                change(total)
            ));
        }
        notes.extend(
            culprit
                .search_of_merge
                .iter()
                .map(|command| format!("It is a merge. Search its branch: {command}")),
        );
        notes
    }

    /// Cases without a slowdown that are not plainly unchanged.
    fn other_cases(&self) -> Vec<String> {
        let note = |line: &Line| {
            let case = &line.case;
            match line.verdict {
                Verdict::Inconclusive => {
                    Some(format!("{case}: inconclusive, {}", line.undecided.as_deref().unwrap_or_default()))
                }
                Verdict::NotComparable => {
                    let reasons: Vec<String> = line.reasons.iter().map(|reason| of_ends(reason)).collect();
                    Some(format!("{case}: not compared: {}", reasons.join("; ")))
                }
                Verdict::Improved => Some(format!("{case}: faster, {}", change(line))),
                _ if line.regressed() => {
                    Some(format!("{case}: only the tail is slower, but `bisect` searches by the p50"))
                }
                _ => None,
            }
        };
        self.cases.iter().filter_map(note).collect()
    }

    /// The commits that were measured or skipped, or are probable.
    fn table(&self) -> String {
        let rows = self.commits.iter().filter(|commit| {
            commit.pairs > 0
                || commit.skipped.is_some()
                || commit.identical_to.is_some()
                || commit.probability >= LISTED_MIN
        });
        let rows = rows.map(|Candidate { commit, probability, pairs, change, skipped, identical_to }| {
            let reason = skipped.as_deref().and_then(|reason| reason.lines().next());
            [
                format!(" {}", commit.sha.short()),
                self::probability(*probability),
                pairs.to_string(),
                change.map_or(String::new(), signed_percent),
                match (reason, identical_to) {
                    (Some(reason), _) => format!("{} (skipped: {reason})", commit.subject),
                    (None, Some(sha)) => format!("{} (same program as {})", commit.subject, sha.short()),
                    (None, None) => commit.subject.clone(),
                },
            ]
        });
        let header = [" commit", "probability", "pairs", "vs good", "subject"];
        output::table(header, rows, |place| (1..4).contains(&place))
    }
}
