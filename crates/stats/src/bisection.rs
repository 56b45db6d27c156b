//! Probabilistic bisection: which commit of a range made a case slower? Measurements are noisy, so no single one rules
//! a commit out. Each shifts the probability of all commits (Horstein 1963; Waeber, Frazier and Henderson 2013).
//!
//! The commits are numbered from 0, oldest first. The commit before them is fast and the last one is slow: a comparison
//! of the two has shown it. One commit is assumed to have made the whole change, each with equal probability. Commits
//! from it on are slow, earlier ones are fast.

use crate::robust;
use crate::verdict::Rule;
use statrs::distribution::{ContinuousCDF, Normal};
use std::ops::RangeInclusive;

pub use crate::verdict::POWER;

/// The probability that the build of a commit shows the wrong level in all of its pairs, for example by another layout
/// of its code. It limits the weight of one commit, so that a wrong one is found by measuring its neighbours.
const MISLEADING: f64 = 0.005;

/// A commit needs no more pairs once one level is this much more likely than the other: more hardly counts, because of
/// [`MISLEADING`].
const ENOUGH: f64 = 200.0;

/// The fewest pairs of a commit. One outlier among them does not decide.
const PAIRS_MIN: usize = 3;

/// The most pairs of a commit. Then its neighbours are measured instead.
const PAIRS_MAX: usize = 60;

/// Degrees of freedom of the distribution of a pair: few, so that outliers hardly count (Lange, Little and Taylor 1989).
const DEGREES: f64 = 4.0;

/// A commit is not measured if both of its levels are not at least this probable.
const OPEN: f64 = 0.001;

/// The probability that a change is not confirmed, although the commit made it.
const MISSED: f64 = 0.05;

/// The probability that a change is confirmed, although the commit did not make it.
const FALSELY_CONFIRMED: f64 = 0.01;

/// The factor of the deviation estimated from the first comparison: that of a dozen pairs is often too small.
const DEVIATION_MARGIN: f64 = 1.25;

/// The smallest deviation of a pair, as a share of the effect: a few pairs may agree by chance.
const LEAST_DEVIATION: f64 = 0.05;

/// The search ends without an answer after this many comparisons that did not confirm a commit.
const REFUTED_MAX: usize = 3;

/// How much few pairs limit the signed-rank test: fitted to simulations with 15 to 60 pairs and 4 to 400 tests.
const LIMITED: f64 = 0.65;

/// The change to find, as log ratios of slow times to fast ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    effect: f64,
    deviation: f64,
}

impl Signal {
    /// A signal of this effect, with the robust deviation of pairs of the slow and the fast commit, and a margin for the
    /// error of its estimate. The values are log ratios. Returns `None` if the effect is 0 or not a number.
    pub fn new(effect: f64, pairs: &[f64]) -> Option<Self> {
        let deviation = (DEVIATION_MARGIN * deviation(pairs)).max(LEAST_DEVIATION * effect.abs());
        (effect != 0.0 && effect.is_finite() && deviation.is_finite()).then_some(Self { effect, deviation })
    }

    /// The log likelihood of a pair at this level, except for a constant.
    fn log_likelihood(&self, log_ratio: f64, level: f64) -> f64 {
        let distance = (log_ratio - level) / self.deviation;
        -(DEGREES + 1.0) / 2.0 * (distance * distance / DEGREES).ln_1p()
    }
}

/// The robust standard deviation of the log ratios of pairs about their median; 0 without pairs.
pub fn deviation(pairs: &[f64]) -> f64 {
    robust::median_and_deviation(&mut pairs.to_vec()).1
}

/// The smallest slowdown that a comparison of this many tests finds with a probability of [`POWER`], as a share of the
/// base's time. `deviation` is the standard deviation of the log ratios of pairs. A case gets at most this many pairs; `None` if
/// no slowdown is significant by then.
///
/// The normal approximation of the signed-rank test at the last look that is reached; its relative efficiency is 3 / pi. With
/// fewer pairs than the rule allows, the sum of ranks is limited, so a slowdown must be larger (`LIMITED`). Slowdowns below
/// [`Rule::matters`] may stop earlier as no change, so the result is never smaller.
pub fn detectable(rule: &Rule, deviation: f64, tests: usize, pairs: usize) -> Option<f64> {
    let most = rule.looks.last().copied()?;
    let pairs = rule.looks.iter().copied().filter(|&look| look <= pairs).max()? as f64;
    let p = rule.false_share / (rule.looks.len() as f64 * tests.max(1) as f64);
    let least = -Normal::standard().inverse_cdf(p / 2.0);
    let room = |pairs: f64| 1.0 - LIMITED * least * least / pairs;
    let limited = room(pairs) / room(most as f64);
    if pairs < rule.pairs_needed(tests)? as f64 || room(pairs) <= 0.0 {
        return None;
    }
    let distance = (least + Normal::standard().inverse_cdf(POWER)) / limited.sqrt();
    let efficiency = 3.0 / std::f64::consts::PI;
    Some((distance * deviation / (efficiency * pairs).sqrt()).exp_m1().max(rule.matters))
}

/// The commits that cannot be distinguished and are together most probable: one, unless commits were skipped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspects {
    /// The oldest.
    pub first: usize,
    /// The newest. The others were skipped.
    pub last: usize,
    /// The probability that one of them made the change.
    pub probability: f64,
}

/// What a search needs next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Pairs of this commit.
    Measure(usize),
    /// A comparison of the last of these suspects with the commit before the first: they are probable enough, or no
    /// further pairs would help.
    Confirm(Suspects),
    /// Nothing: too many comparisons did not confirm the suspects.
    End,
}

/// The search for the commit that made a change.
#[derive(Clone, Debug)]
pub struct Bisection {
    signal: Signal,
    /// The least probability of suspects to confirm.
    confidence: f64,
    commits: Vec<Evidence>,
    /// How many comparisons did not confirm their suspects.
    refuted: usize,
}

/// What is known about one commit.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    is_skipped: bool,
    /// Whether it runs the same program as an earlier commit, so it changed nothing.
    is_identical: bool,
    pairs: usize,
    /// The log likelihoods of its pairs.
    fast: f64,
    slow: f64,
    /// The logarithm of the factor of its probability from comparisons with its parent.
    confirmed: f64,
}

impl Evidence {
    /// The log likelihoods of the levels fast and slow, if one of them may be [`MISLEADING`].
    fn levels(&self) -> [f64; 2] {
        if self.pairs == 0 {
            return [0.0; 2];
        }
        let mixed = |is: f64, other: f64| {
            let most = is.max(other);
            most + ((1.0 - MISLEADING) * (is - most).exp() + MISLEADING * (other - most).exp()).ln()
        };
        [mixed(self.fast, self.slow), mixed(self.slow, self.fast)]
    }

    fn wants_more(&self) -> bool {
        let is_decided = self.pairs >= PAIRS_MIN && (self.slow - self.fast).abs() >= ENOUGH.ln();
        !self.is_skipped && !self.is_identical && self.pairs < PAIRS_MAX && !is_decided
    }
}

impl Bisection {
    /// Starts a search among this many commits, for suspects of at least this probability.
    pub fn new(commits: usize, signal: Signal, confidence: f64) -> Self {
        Self { signal, confidence, commits: vec![Evidence::default(); commits], refuted: 0 }
    }

    /// What the search needs next. It has succeeded once suspects are confirmed.
    pub fn step(&self) -> Step {
        let Some(suspects) = self.suspects().filter(|_| self.refuted < REFUTED_MAX) else { return Step::End };
        let is_sure = suspects.probability >= self.confidence;
        let next = if is_sure { None } else { self.next() };
        next.map_or(Step::Confirm(suspects), Step::Measure)
    }

    /// The probability of each commit that it made the change. They add up to 1.
    pub fn probabilities(&self) -> Vec<f64> {
        // If the first commit made the change, all are slow. From one to the next, one more is fast.
        let mut logarithm: f64 = self.commits.iter().map(|commit| commit.levels()[1]).sum();
        let mut logarithms = Vec::with_capacity(self.commits.len());
        for commit in &self.commits {
            let confirmed = if commit.is_identical { f64::NEG_INFINITY } else { commit.confirmed };
            logarithms.push(logarithm + confirmed);
            let [fast, slow] = commit.levels();
            logarithm += fast - slow;
        }
        let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut weights: Vec<f64> = logarithms.iter().map(|logarithm| (logarithm - most).exp()).collect();
        let all: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= all);
        weights
    }

    /// The commit to measure next: the one that is slow with a probability nearest to a half, so that its level halves
    /// the probability of the others. `None` if no commit would help.
    fn next(&self) -> Option<usize> {
        // The last one is known.
        let open = self.commits.len().saturating_sub(1);
        let mut slow = 0.0;
        let distances = self.probabilities().into_iter().map(|probability| {
            slow += probability;
            (slow - 0.5).abs()
        });
        let (_, commit) = distances
            .enumerate()
            .take(open)
            .filter(|&(commit, distance)| distance < 0.5 - OPEN && self.wants_more(commit))
            .map(|(commit, distance)| (distance, commit))
            .min_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(commit)
    }

    /// Whether this commit needs more pairs. A build costs more than a pair, so a commit is measured until it is decided.
    pub fn wants_more(&self, commit: usize) -> bool {
        self.commits.get(commit).is_some_and(Evidence::wants_more)
    }

    /// Adds a pair: the log ratio of this commit's time to that of the commit before all.
    pub fn add(&mut self, commit: usize, log_ratio: f64) {
        let signal = self.signal;
        if let Some(commit) = self.commits.get_mut(commit).filter(|_| log_ratio.is_finite()) {
            commit.pairs += 1;
            commit.fast += signal.log_likelihood(log_ratio, 0.0);
            commit.slow += signal.log_likelihood(log_ratio, signal.effect);
        }
    }

    /// Marks a commit that cannot be measured, except for the last. Its pairs do not count.
    pub fn skip(&mut self, commit: usize) {
        if commit + 1 < self.commits.len() {
            let Evidence { is_identical, confirmed, .. } = self.commits[commit];
            self.commits[commit] =
                Evidence { is_skipped: true, is_identical, confirmed, ..Evidence::default() };
        }
    }

    /// Marks commits as unable to have made the change: the last of them runs the same program as the commit before the first.
    /// Returns false and changes nothing if no other commit would be left.
    pub fn exclude(&mut self, commits: RangeInclusive<usize>) -> bool {
        let is_left = |(place, commit): (usize, &Evidence)| !commit.is_identical && !commits.contains(&place);
        let is_possible = self.commits.iter().enumerate().any(is_left);
        if is_possible {
            let excluded = self.commits.iter_mut().enumerate().filter(|(place, _)| commits.contains(place));
            excluded.for_each(|(_, commit)| commit.is_identical = true);
        }
        is_possible
    }

    /// The most probable commits: a commit that was not skipped, with those skipped right before it. `None` without
    /// commits.
    fn suspects(&self) -> Option<Suspects> {
        let mut most: Option<Suspects> = None;
        let mut next = Suspects { first: 0, last: 0, probability: 0.0 };
        for (commit, probability) in self.probabilities().into_iter().enumerate() {
            next = Suspects { last: commit, probability: next.probability + probability, ..next };
            if self.commits[commit].is_skipped {
                continue;
            }
            if most.is_none_or(|most| most.probability < next.probability) {
                most = Some(next);
            }
            next = Suspects { first: commit + 1, last: commit + 1, probability: 0.0 };
        }
        most
    }

    /// Adds the result of a comparison of suspects with the commit before them: whether it shows the change. If it does
    /// not, the level of one of the two is wrong, so their pairs are discarded and both are measured again.
    pub fn confirm(&mut self, suspects: &Suspects, is_confirmed: bool) {
        let factor = if is_confirmed {
            (1.0 - MISSED) / FALSELY_CONFIRMED
        } else {
            MISSED / (1.0 - FALSELY_CONFIRMED)
        };
        for commit in self.commits.iter_mut().take(suspects.last + 1).skip(suspects.first) {
            commit.confirmed += factor.ln();
        }
        if !is_confirmed {
            self.refuted += 1;
            for commit in [suspects.first.checked_sub(1), Some(suspects.last)].into_iter().flatten() {
                let Evidence { is_skipped, is_identical, confirmed, .. } = self.commits[commit];
                self.commits[commit] =
                    Evidence { is_skipped, is_identical, confirmed, ..Evidence::default() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::shape::Profile;
    use crate::verdict::{Pair, SequentialComparison, Verdict};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A history in which one commit makes a step.
    struct History {
        commits: usize,
        culprit: usize,
        effect: f64,
        deviation: f64,
        /// Share of pairs that are disturbed by ten deviations.
        outliers: f64,
        /// Standard deviation of the builds' own offsets.
        offset: f64,
        random: Random,
    }

    impl History {
        fn pair(&mut self, level: f64) -> f64 {
            let factor = if self.random.uniform() < self.outliers { 10.0 } else { 1.0 };
            level + factor * self.deviation * self.random.normal()
        }

        /// The pairs of a comparison by the rule, and whether the later commit is slower.
        fn compare(&mut self, level: f64) -> (Vec<f64>, bool) {
            let (mut comparison, mut pairs) = (SequentialComparison::new(Rule::default(), 1), Vec::new());
            while comparison.wants_more(0) {
                let p50 = self.pair(level);
                pairs.push(Pair { p50, profile: [p50; 12] });
                comparison.look(&[&pairs]);
            }
            let p50s = pairs.into_iter().map(|pair| pair.p50).collect();
            (p50s, comparison.rows()[0].p50.verdict == Some(Verdict::Regressed))
        }

        /// Searches like the command. Returns the confirmed suspects, the number of builds and the number of pairs.
        fn search(&mut self) -> (Option<Suspects>, usize, usize) {
            let (first, is_slower) = self.compare(self.effect);
            let effect = crate::shift::pseudomedian(&first).unwrap();
            let mut bisection = Bisection::new(self.commits, Signal::new(effect, &first).unwrap(), 0.95);
            let mut pairs = first.len();
            // The level of each built commit.
            let mut builds = BTreeMap::from([(self.commits - 1, self.effect)]);
            if !is_slower {
                return (None, builds.len() + 1, pairs);
            }
            loop {
                match bisection.step() {
                    Step::Measure(commit) => {
                        let offset = self.offset * self.random.normal();
                        let level = offset + if commit >= self.culprit { self.effect } else { 0.0 };
                        // Built once.
                        let level = *builds.entry(commit).or_insert(level);
                        while bisection.wants_more(commit) {
                            let pair = self.pair(level);
                            bisection.add(commit, pair);
                            pairs += 1;
                        }
                    }
                    Step::Confirm(suspects) => {
                        let before = suspects.first.checked_sub(1).map_or(0.0, |before| builds[&before]);
                        let (compared, is_confirmed) = self.compare(builds[&suspects.last] - before);
                        pairs += compared.len();
                        bisection.confirm(&suspects, is_confirmed);
                        if is_confirmed {
                            let found = bisection.suspects().filter(|found| found.probability >= 0.95);
                            return (found, builds.len() + 1, pairs);
                        }
                    }
                    Step::End => return (None, builds.len() + 1, pairs),
                }
            }
        }
    }

    /// What 200 searches among 1,000 commits cost.
    #[derive(Debug)]
    struct Simulated {
        found: f64,
        /// The share of wrong answers.
        wrong: f64,
        /// The median and the 95th percentile, including both ends.
        builds: [usize; 2],
        pairs: [usize; 2],
    }

    fn simulate(effect: f64, deviation: f64, outliers: f64, offset: f64) -> Simulated {
        let (mut found, mut wrong, mut builds, mut pairs) = (0, 0, Vec::new(), Vec::new());
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let culprit = random.below(1_000);
            let effect = f64::ln_1p(effect);
            let mut history =
                History { commits: 1_000, culprit, effect, deviation, outliers, offset, random };
            let (suspects, built, measured) = history.search();
            match suspects {
                Some(Suspects { first, last, .. }) if (first, last) == (culprit, culprit) => found += 1,
                Some(_) => wrong += 1,
                None => {}
            }
            builds.push(built);
            pairs.push(measured);
        }
        let percentiles = |mut counts: Vec<usize>| {
            counts.sort_unstable();
            [counts[100], counts[190]]
        };
        Simulated {
            found: f64::from(found) / 200.0,
            wrong: f64::from(wrong) / 200.0,
            builds: percentiles(builds),
            pairs: percentiles(pairs),
        }
    }

    #[test]
    fn finds_a_small_step_among_a_thousand_commits() {
        for (outliers, offset) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.003)] {
            let simulated = simulate(0.03, 0.02, outliers, offset);
            println!("outliers {outliers}, offset {offset}: {simulated:?}");
            let Simulated { found, wrong, builds: [median, most], pairs: [pairs, _] } = simulated;
            assert!(
                found >= 0.95 && wrong <= 0.01 && median <= 13 && most <= 16 && pairs <= 160,
                "{simulated:?}"
            );
        }
    }

    #[test]
    fn wrong_build_is_found_by_its_neighbours() {
        let signal = Signal::new(0.2, &[0.19, 0.2, 0.21]).unwrap();
        let mut bisection = Bisection::new(64, signal, 0.95);
        while bisection.suspects().unwrap().probability < 0.95 {
            let commit = bisection.next().unwrap();
            // The first measured commit, 31, looks slow.
            let level = if commit >= 40 || commit == 31 { 0.2 } else { 0.0 };
            while bisection.wants_more(commit) {
                bisection.add(commit, level);
            }
        }
        let Suspects { first, last, .. } = bisection.suspects().unwrap();
        assert_eq!((first, last), (40, 40));
    }

    #[test]
    fn excluded_commits_are_not_measured_and_not_suspected() {
        let mut bisection = Bisection::new(9, Signal::new(0.2, &[0.19, 0.2, 0.21]).unwrap(), 0.95);
        // All but 2 and 5 run the same program as a commit before.
        assert!(bisection.exclude(0..=1) && bisection.exclude(3..=4) && bisection.exclude(6..=8));
        let mut measured = Vec::new();
        while let Some(commit) = bisection.next() {
            measured.push(commit);
            while bisection.wants_more(commit) {
                bisection.add(commit, if commit >= 5 { 0.2 } else { 0.0 });
            }
        }
        // Fast at 2 is enough.
        assert_eq!(measured, [2]);
        let Suspects { first, last, probability } = bisection.suspects().unwrap();
        assert!((first, last) == (5, 5) && probability > 0.99, "{first} {last} {probability}");
        assert!(!bisection.exclude(0..=8));
    }

    #[test]
    fn unconfirmed_suspect_is_measured_further() {
        let mut bisection = Bisection::new(8, Signal::new(0.2, &[0.19, 0.2, 0.21]).unwrap(), 0.95);
        while let Some(commit) = bisection.next() {
            while bisection.wants_more(commit) {
                bisection.add(commit, if commit >= 3 { 0.2 } else { 0.0 });
            }
        }
        let before = bisection.suspects().unwrap();
        assert_eq!((before.first, before.last), (3, 3));
        let mut refuted = bisection.clone();
        refuted.confirm(&before, false);
        bisection.confirm(&before, true);
        let [more, less] = [&bisection, &refuted].map(|bisection| bisection.probabilities()[3]);
        assert!(more > 0.999 && less < before.probability - 0.05, "{more} {less} {before:?}");
    }

    #[test]
    fn detectable_slowdown_is_found_with_the_stated_power() {
        let rule = Rule::default();
        assert_eq!(detectable(&rule, 0.001, 4, 60), Some(rule.matters));
        let slowdown = detectable(&rule, 0.08, 4, 60).unwrap();
        let found = found_of_400(slowdown, 1, 60);
        assert!((350..=385).contains(&found), "{found} of 400 at {slowdown}");
    }

    /// The number of comparisons of these rows, with at most this many pairs, that find a slowdown of the first one.
    fn found_of_400(slowdown: f64, rows: usize, most: usize) -> usize {
        let is_found = |seed: &u64| {
            let mut random = Random::new(*seed);
            let mut row = |slowdown: f64| -> Vec<Pair> {
                let pair = |p50| Pair { p50, profile: Profile::from([p50; 12]) };
                (0..most).map(|_| pair(slowdown.ln_1p() + 0.08 * random.normal())).collect()
            };
            let all: Vec<Vec<Pair>> =
                (0..rows).map(|place| row(if place == 0 { slowdown } else { 0.0 })).collect();
            let mut comparison = SequentialComparison::new(Rule::default(), rows);
            for count in 1..=most {
                comparison.look(&all.iter().map(|row| &row[..count]).collect::<Vec<_>>());
            }
            (0..rows).for_each(|row| comparison.stop(row, most));
            comparison.rows()[0].p50.verdict == Some(Verdict::Regressed)
        };
        (0..400).filter(is_found).count()
    }

    #[test]
    fn slowdown_is_found_with_the_stated_power_in_less_time() {
        let rule = Rule::default();
        for (rows, most) in [(1, 15), (1, 20), (1, 27), (1, 40), (6, 18), (6, 27), (24, 22), (24, 33)] {
            let slowdown = detectable(&rule, 0.08, 4 * rows, most).unwrap();
            let found = found_of_400(slowdown, rows, most);
            println!("{rows} rows, {most} pairs: {found} of 400 at {slowdown:.3}");
            assert!(found >= 350, "{found} of 400 at {slowdown} with {rows} rows and {most} pairs");
        }
        assert_eq!(detectable(&rule, 0.08, 4, 7), None);
        assert_eq!(detectable(&rule, 0.08, 4 * 24, 15), None);
    }

    #[test]
    fn signal_without_an_effect_is_rejected() {
        assert_eq!(Signal::new(0.0, &[0.1]), None);
        assert_eq!(Signal::new(f64::NAN, &[0.1]), None);
        assert_eq!(Bisection::new(0, Signal::new(0.1, &[]).unwrap(), 0.95).step(), Step::End);
    }

    proptest! {
        #[test]
        fn finds_the_culprit_or_the_range_of_skipped_commits(
            commits in 1..200_usize, culprit: prop::sample::Index, skipped: u64, effect in prop_oneof![0.01..1.0_f64, -1.0..-0.01_f64],
        ) {
            let culprit = culprit.index(commits);
            let mut bisection = Bisection::new(commits, Signal::new(effect, &[effect]).unwrap(), 0.95);
            let mut steps = 0;
            while let Some(commit) = bisection.next() {
                steps += 1;
                prop_assert!(steps <= commits && commit + 1 < commits);
                if skipped >> (commit % 64) & 1 == 1 {
                    bisection.skip(commit);
                }
                while bisection.wants_more(commit) {
                    bisection.add(commit, if commit >= culprit { effect } else { 0.0 });
                }
                let all: f64 = bisection.probabilities().iter().sum();
                prop_assert!((all - 1.0).abs() < 1e-9, "{}", all);
            }
            let Suspects { first, last, probability } = bisection.suspects().unwrap();
            prop_assert!((first..=last).contains(&culprit), "{first} to {last}, not {culprit}");
            // Between long runs of skipped commits, only the comparison with the commit before is certain.
            prop_assert!(probability > 0.5, "{}", probability);
            prop_assert!((first..last).all(|commit| skipped >> (commit % 64) & 1 == 1));
        }
    }
}
