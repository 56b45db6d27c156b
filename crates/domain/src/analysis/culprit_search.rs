//! The search for the commit that caused a regression, in paired jobs. Each compares a commit of the range with the good one, the
//! commit before the range, until one is the culprit with a probability of 95 % and a comparison with its parent confirms it.
//!
//! The engine is that of `roundtrip bisect`. Its state is computed from the jobs and their runs each time, so any server can
//! continue a search at any time.

use super::culprits::Culprit;
use super::{AnalysisError, suspicions};
use crate::comparison::Verdict;
use crate::ingest::stored_upload;
use crate::queue::schedule::FORGOTTEN_AFTER;
use roundtrip_stats::bisection::{self, Bisection, Signal, Suspects};
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangePointRow, Figure};
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::job::PairedJob;
use roundtrip_storage::regression::grouping::OpenRange;
use roundtrip_storage::run::{self, Location, PresetRow};
use roundtrip_wire::lab::IDENTICAL_PROGRAM;
use sqlx::{PgConnection, PgPool};

/// The least probability of a culprit.
const CONFIDENCE: f64 = 0.95;

/// What the search needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The commits cannot be compared in pairs.
    Impossible,
    /// A job of this search is open.
    Wait,
    /// This commit, compared with this base.
    Compare([String; 2]),
    /// Nothing: the search ended with this commit confirmed as the culprit, or without one.
    End(Option<String>),
}

/// A search for the culprit of a regression.
#[derive(Debug)]
pub(super) struct Search {
    /// The commits after the good one, oldest first, and whether each has a run.
    commits: Vec<(CommitSummary, bool)>,
    step: Step,
    /// The probability of each commit; none before the comparison of both ends shows the change.
    probabilities: Option<Vec<f64>>,
}

/// A job and what it found in the case of the search.
#[derive(Clone, Debug)]
struct Compared {
    commit_sha: String,
    base_sha: String,
    result: JobResult,
}

#[derive(Clone, Debug)]
enum JobResult {
    Open,
    /// It measured no pairs, for example because a commit does not build.
    NotMeasured,
    /// Both sides run the same program.
    Identical,
    Pairs {
        log_ratios: Vec<f64>,
        change: f64,
        is_slower: bool,
    },
}

/// The change with the surest place; for equal ones, the largest.
pub(super) fn clearest<'a>(changes: impl Iterator<Item = &'a ChangePointRow>) -> Option<&'a ChangePointRow> {
    let certainty = |change: &ChangePointRow| {
        let surest = change.found.places.iter().map(|(_, probability)| *probability).fold(0.0, f64::max);
        surest + change.found.change().abs().min(1.0) / 1_000.0
    };
    changes.max_by(|one, other| certainty(one).total_cmp(&certainty(other)))
}

/// The clearest of the changes that pairs can show, which compare the p50. If there are jobs, it is on their machine and of the
/// series that they measure.
pub(super) fn clearest_in_pairs<'a>(
    changes: impl Iterator<Item = &'a ChangePointRow>,
    jobs: &[PairedJob],
) -> Option<&'a ChangePointRow> {
    let machine_id = jobs.first().and_then(|job| job.machine_id);
    let series_id = jobs.iter().find_map(|job| job.series_id);
    let is_there = |change: &&ChangePointRow| {
        machine_id.is_none_or(|machine_id| change.machine_id == machine_id)
            && series_id.is_none_or(|series_id| change.found.track.series_id == series_id)
    };
    clearest(changes.filter(|change| change.found.track.figure == Figure::P50).filter(is_there))
}

/// What the search for the cause of this change needs next, and the preset to measure. It begins with the ends of the range.
pub(super) async fn next(
    pool: &PgPool,
    connection: &mut PgConnection,
    clearest: &ChangePointRow,
    jobs: &[PairedJob],
    range: &OpenRange,
) -> Result<(Step, Option<String>), AnalysisError> {
    if let Some(first) = jobs.first() {
        return Ok((Search::of(pool, clearest, jobs).await?.step, first.preset.clone()));
    }
    let ordinals = (range.after_ordinal, range.until_ordinal);
    let commits = db::commit::between(pool, clearest.project_id, ordinals.0, ordinals.1).await?;
    // A single commit is compared too, which confirms and explains it.
    if commits.last().is_none_or(|(commit, _)| commit.sha != range.until_sha) {
        return Ok((Step::Impossible, None));
    }
    let ends = Step::Compare([range.until_sha.clone(), range.after_sha.clone()]);
    Ok(match preset(pool, connection, clearest, range.until_ordinal).await? {
        Some(preset) => (ends, preset),
        None => (Step::Impossible, None),
    })
}

impl Search {
    /// The search by these jobs. The first compares the ends of the range.
    pub(super) async fn of(
        pool: &PgPool,
        clearest: &ChangePointRow,
        jobs: &[PairedJob],
    ) -> Result<Self, AnalysisError> {
        let impossible = Self { commits: Vec::new(), step: Step::Impossible, probabilities: None };
        let Some(PairedJob { commit_sha: bad, base_sha: good, .. }) = jobs.first() else {
            return Ok(impossible);
        };
        let known =
            db::commit::find(&mut *pool.acquire().await?, clearest.project_id, &[good.clone(), bad.clone()])
                .await?;
        let ordinal = |sha: &str| known.iter().find(|row| row.sha == sha).map(|row| row.ordinal);
        let Some((after, until)) = ordinal(good).zip(ordinal(bad)) else { return Ok(impossible) };
        let commits = db::commit::between(pool, clearest.project_id, after, until).await?;
        let shas: Vec<&str> = commits.iter().map(|(commit, _)| commit.sha.as_str()).collect();
        if shas.last() != Some(&bad.as_str()) {
            return Ok(impossible);
        }
        let mut compared = Vec::new();
        for job in jobs {
            compared.push(compare(pool, clearest, job).await?);
        }
        let (step, probabilities) = replay(good, &shas, compared);
        Ok(Self { commits, step, probabilities })
    }

    /// The commits of the range with their probabilities, if they are known.
    pub(super) fn suspects(self) -> Option<Vec<Culprit>> {
        let suspects = self.commits.into_iter().zip(self.probabilities?);
        let culprit =
            |((commit, measured), probability)| Culprit { commit, probability, measured, names: Vec::new() };
        Some(suspects.map(culprit).collect())
    }
}

/// Computes the state of the engine from the results so far: the same order gives the same questions.
fn replay(good: &str, commits: &[&str], mut jobs: Vec<Compared>) -> (Step, Option<Vec<f64>>) {
    let mut result_of = |commit: &str, base: &str| {
        let place = jobs.iter().position(|job| job.commit_sha == commit && job.base_sha == base);
        place.map(|place| jobs.remove(place).result)
    };
    let last = commits.len() - 1;
    let ask = |commit: &str, base: &str| Step::Compare([commit, base].map(str::to_owned));
    let (log_ratios, change) = match result_of(commits[last], good) {
        None => return (ask(commits[last], good), None),
        Some(JobResult::Open) => return (Step::Wait, None),
        Some(JobResult::NotMeasured | JobResult::Identical) => return (Step::Impossible, None),
        Some(JobResult::Pairs { is_slower: false, .. }) => return (Step::End(None), None),
        Some(JobResult::Pairs { log_ratios, change, .. }) => (log_ratios, change),
    };
    let Some(signal) = Signal::new(change.ln_1p(), &log_ratios) else { return (Step::End(None), None) };
    let mut search = Bisection::new(commits.len(), signal, CONFIDENCE);
    let mut is_measured = vec![false; commits.len()];
    is_measured[last] = true;
    let step = loop {
        let suspects = match search.step() {
            bisection::Step::Measure(commit) => {
                match result_of(commits[commit], good) {
                    None => break ask(commits[commit], good),
                    Some(JobResult::Open) => break Step::Wait,
                    Some(JobResult::Identical) if search.exclude(0..=commit) => {}
                    Some(JobResult::Pairs { log_ratios, .. }) if !log_ratios.is_empty() => {
                        is_measured[commit] = true;
                        log_ratios.into_iter().for_each(|log_ratio| search.add(commit, log_ratio));
                    }
                    Some(_) => search.skip(commit),
                }
                continue;
            }
            bisection::Step::Confirm(suspects) => suspects,
            bisection::Step::End => break Step::End(None),
        };
        let Suspects { first, last: suspect, .. } = suspects;
        let before = first.checked_sub(1);
        // The comparison of both ends has confirmed it.
        let result = if before.is_none() && suspect == last {
            JobResult::Pairs { log_ratios: Vec::new(), change, is_slower: true }
        } else {
            let base = before.map_or(good, |before| commits[before]);
            match result_of(commits[suspect], base) {
                None => break ask(commits[suspect], base),
                Some(result) => result,
            }
        };
        match result {
            JobResult::Open => break Step::Wait,
            JobResult::Pairs { is_slower: true, .. } => {
                search.confirm(&suspects, true);
                let is_sure = first == suspect && search.probabilities()[suspect] >= CONFIDENCE;
                break Step::End(is_sure.then(|| commits[suspect].to_owned()));
            }
            JobResult::Pairs { .. } | JobResult::Identical => search.confirm(&suspects, false),
            // The commit that was never measured is the one that cannot be.
            JobResult::NotMeasured => match before.filter(|&before| !is_measured[before]) {
                _ if !is_measured[suspect] => search.skip(suspect),
                Some(before) => search.skip(before),
                None => search.confirm(&suspects, false),
            },
        }
    };
    (step, Some(search.probabilities()))
}

/// The result of a job in the case of this change.
async fn compare(
    pool: &PgPool,
    clearest: &ChangePointRow,
    job: &PairedJob,
) -> Result<Compared, AnalysisError> {
    let PairedJob { job_id, commit_sha, base_sha, status, failure, .. } = job;
    let result = match status.as_str() {
        "queued" | "running" => JobResult::Open,
        "done" if failure.as_deref() == Some(IDENTICAL_PROGRAM) => JobResult::Identical,
        "done" => pairs(pool, clearest, *job_id, [base_sha, commit_sha]).await?,
        _ => JobResult::NotMeasured,
    };
    Ok(Compared { commit_sha: commit_sha.clone(), base_sha: base_sha.clone(), result })
}

async fn pairs(
    pool: &PgPool,
    clearest: &ChangePointRow,
    job_id: i64,
    sides: [&str; 2],
) -> Result<JobResult, AnalysisError> {
    let (pairs, _) = suspicions::compared(pool, clearest.project_id, job_id, sides).await?;
    let pairs = pairs.into_iter().filter(|pair| pair.paired);
    let pairs: Vec<_> = pairs.filter_map(|pair| Some((pair.head.as_ref()?.series_id, pair))).collect();
    // Results in parts have another methodology, so they are another series of the same case.
    let series_id = clearest.found.track.series_id;
    let series_ids: Vec<i64> = pairs.iter().map(|(series_id, _)| *series_id).chain([series_id]).collect();
    let case_ids = db::series::case_ids(pool, &series_ids).await?;
    let of_case = pairs.into_iter().find(|(of_pair, _)| case_ids.get(of_pair) == case_ids.get(&series_id));
    Ok(match of_case {
        Some((_, pair)) => JobResult::Pairs {
            change: pair.change.unwrap_or_default(),
            is_slower: pair.verdict == Verdict::Regressed,
            log_ratios: pair.log_ratios,
        },
        None => JobResult::NotMeasured,
    })
}

/// The preset to measure in pairs, if an agent can: one of the machine is in contact, and the newest run of the slow commit has
/// the program of this case from the repository. The inner value is `None` for the presets in the commit's settings.
async fn preset(
    pool: &PgPool,
    connection: &mut PgConnection,
    clearest: &ChangePointRow,
    commit_ordinal: i64,
) -> Result<Option<Option<String>>, AnalysisError> {
    let ChangePointRow { project_id, machine_id, .. } = *clearest;
    let able = db::agent::machines_with(connection, project_id, &[], FORGOTTEN_AFTER).await?;
    if !able.contains(&machine_id) {
        return Ok(None);
    }
    let series_id = clearest.found.track.series_id;
    let newest = run::newest_of_series(connection, (machine_id, series_id), commit_ordinal).await?;
    let Some(PresetRow { run_id, preset }) = newest else { return Ok(None) };
    let location = Location { run_id, machine_id, commit_ordinal };
    let is_of_commit = stored_upload::has_program_of_commit(pool, location, series_id).await;
    Ok(is_of_commit.map_err(AnalysisError::comparison)?.then_some(preset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A history in which one commit made a case a fifth slower, and the commits that do not build.
    struct History {
        commits: Vec<String>,
        culprit: usize,
        broken: Vec<usize>,
        /// How many of the first commits run the same program as the good one.
        unchanged: usize,
        /// Whether comparisons with the parent show the change.
        is_confirmable: bool,
        /// Whether comparisons with the parent measure no pairs.
        is_parent_broken: bool,
    }

    impl History {
        fn new(count: usize, culprit: usize) -> Self {
            let commits = (0..count).map(|commit| format!("c{commit}")).collect();
            Self {
                commits,
                culprit,
                broken: Vec::new(),
                unchanged: 0,
                is_confirmable: true,
                is_parent_broken: false,
            }
        }

        fn measure(&self, commit: &str, base: &str) -> JobResult {
            let place = |sha: &str| self.commits.iter().position(|commit| commit == sha);
            let is_broken = |place: Option<usize>| place.is_some_and(|place| self.broken.contains(&place));
            if [commit, base].map(place).into_iter().any(is_broken)
                || (self.is_parent_broken && base != "good")
            {
                return JobResult::NotMeasured;
            }
            if base == "good" && place(commit).is_some_and(|place| place < self.unchanged) {
                return JobResult::Identical;
            }
            let is_slow = |place: Option<usize>| place.is_some_and(|place| place >= self.culprit);
            let is_ends = base == "good";
            let is_slower =
                is_slow(place(commit)) && !is_slow(place(base)) && (is_ends || self.is_confirmable);
            let middle: f64 = if is_slower { 0.2 } else { 0.0 };
            let log_ratios = (0..15).map(|pair| middle + 0.01 * (f64::from(pair % 5) - 2.0)).collect();
            JobResult::Pairs { log_ratios, change: middle.exp_m1(), is_slower }
        }

        /// Measures each requested job. Returns the jobs, the probability of each commit and the confirmed culprit.
        fn search(&self) -> (Vec<[String; 2]>, Vec<f64>, Option<String>) {
            let commits: Vec<&str> = self.commits.iter().map(String::as_str).collect();
            let (mut jobs, mut asked) = (Vec::<Compared>::new(), Vec::new());
            loop {
                match replay("good", &commits, jobs.clone()) {
                    (Step::Compare(next), _) => {
                        let [commit_sha, base_sha] = next.clone();
                        let mut open = jobs.clone();
                        open.push(Compared {
                            commit_sha: commit_sha.clone(),
                            base_sha: base_sha.clone(),
                            result: JobResult::Open,
                        });
                        assert_eq!(replay("good", &commits, open).0, Step::Wait, "{next:?}");
                        let result = self.measure(&commit_sha, &base_sha);
                        jobs.push(Compared { commit_sha, base_sha, result });
                        asked.push(next);
                        assert!(asked.len() < 40, "{asked:?}");
                    }
                    (Step::End(found), probabilities) => return (asked, probabilities.unwrap(), found),
                    (step, _) => panic!("{step:?} after {asked:?}"),
                }
            }
        }
    }

    #[test]
    fn finds_each_commit_of_a_range_with_few_jobs() {
        for culprit in 0..100 {
            let (jobs, probabilities, found) = History::new(100, culprit).search();
            assert_eq!(found, Some(format!("c{culprit}")));
            assert!(probabilities[culprit] > 0.99, "{culprit}: {jobs:?}");
            // The ends, seven halvings and the parent.
            assert!(jobs.len() <= 10, "{culprit}: {jobs:?}");
        }
    }

    #[test]
    fn commits_that_do_not_build_share_the_probability() {
        let history = History { broken: vec![3, 4], ..History::new(8, 4) };
        let (jobs, probabilities, found) = history.search();
        assert_eq!(found, None);
        assert!(probabilities[3..=5].iter().sum::<f64>() > 0.95, "{probabilities:?} {jobs:?}");
        assert_eq!(jobs.last().unwrap(), &["c5", "c2"], "{jobs:?}");
    }

    #[test]
    fn commits_with_the_good_program_are_no_suspects() {
        let history = History { unchanged: 5, ..History::new(8, 6) };
        let (jobs, probabilities, _) = history.search();
        // The fifth was not compared.
        assert_eq!(probabilities[..4], [0.0; 4], "{jobs:?}");
        assert!(probabilities[6] > 0.99, "{probabilities:?} {jobs:?}");
    }

    #[test]
    fn search_ends_when_no_parent_confirms() {
        let (jobs, _, found) = History { is_confirmable: false, ..History::new(8, 4) }.search();
        assert_eq!(found, None);
        let parents = jobs.iter().filter(|[_, base]| base != "good").count();
        assert_eq!(parents, 3, "{jobs:?}");
    }

    #[test]
    fn search_ends_when_no_parent_can_be_compared() {
        let (jobs, ..) = History { is_parent_broken: true, ..History::new(8, 4) }.search();
        let parents = jobs.iter().filter(|[_, base]| base != "good").count();
        assert_eq!(parents, 3, "{jobs:?}");
    }

    #[test]
    fn search_needs_a_change_between_its_ends() {
        let ends = |result| {
            let ends = Compared { commit_sha: "c1".into(), base_sha: "good".into(), result };
            replay("good", &["c0", "c1"], vec![ends]).0
        };
        let equal = JobResult::Pairs { log_ratios: vec![0.0; 8], change: 0.0, is_slower: false };
        assert_eq!(ends(equal), Step::End(None));
        assert_eq!(ends(JobResult::NotMeasured), Step::Impossible);
        assert_eq!(ends(JobResult::Identical), Step::Impossible);
    }
}
