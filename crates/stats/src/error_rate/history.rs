//! Error rates of change detection: false alarms if nothing changed, and the delay until a step of known size is found.
//!
//! Subtracting the levels of a series leaves its residuals. Series without a change are resampled from them in blocks
//! of neighbours, which keeps the autocorrelation (Künsch 1989, Annals of Statistics 17(3)). Every change found in them
//! is a false alarm. Steps of known place and size are then added.

use crate::change_point::{Detector, Method, level};
use crate::random::Random;

/// The simulated steps, as shares of the level before.
pub const STEPS: [f64; 4] = [0.03, 0.05, 0.10, 0.25];
/// Length of a series without a change.
pub const POINTS: usize = 300;
/// Number of points before a step.
const BEFORE: usize = 200;
/// A step counts as found if it is reported at most this many points from its place.
const NEAR: usize = 5;
/// Block length of the resampling: longer than the slow phase of a machine that is warm for an hour.
const BLOCK: usize = 20;
/// With fewer blocks to sample from, all series would be alike.
const BLOCKS_MIN: usize = 40;

/// The noise of a series without a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Residuals {
    /// The logarithm of each value minus its level.
    values: Vec<f64>,
    /// Start of each block; a block has one level.
    blocks: Vec<usize>,
}

/// Results of the search in series whose changes are known. Counts of several series can be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Points without a change that were searched.
    pub searched: u64,
    /// Changes reported among them, all of which are false.
    pub false_alarms: u64,
    /// The number of simulations of each of [`STEPS`].
    pub injected: u64,
    /// For each of [`STEPS`], the number of points after the step until it was reported, one entry for each step found.
    pub delays: [Vec<u32>; STEPS.len()],
}

impl Residuals {
    /// Computes the residuals of a series, given the places at which its level changes, ascending. Returns `None` if a
    /// value is not a finite number above 0, or if too few values share a level: fewer than about 60.
    pub fn of(values: &[f64], changes: &[usize]) -> Option<Self> {
        if !values.iter().all(|value| value.is_finite() && *value > 0.0) {
            return None;
        }
        let mut residuals = Self { values: Vec::with_capacity(values.len()), blocks: Vec::new() };
        let ends = changes.iter().copied().filter(|&change| change < values.len()).chain([values.len()]);
        for end in ends {
            let begin = residuals.values.len();
            let logarithms: Vec<f64> = values.get(begin..end)?.iter().map(|value| value.ln()).collect();
            let level = level(&logarithms);
            residuals.values.extend(logarithms.into_iter().map(|value| value - level));
            residuals.blocks.extend(begin..(end + 1).saturating_sub(BLOCK).max(begin));
        }
        (residuals.blocks.len() >= BLOCKS_MIN).then_some(residuals)
    }

    /// Resamples values without a change, at level 1.
    fn resample(&self, random: &mut Random, count: usize) -> Vec<f64> {
        let mut values = Vec::with_capacity(count + BLOCK);
        while values.len() < count {
            let begin = self.blocks[random.below(self.blocks.len())];
            values.extend(self.values[begin..begin + BLOCK].iter().map(|residual| residual.exp()));
        }
        values.truncate(count);
        values
    }

    /// Generates this many series of [`POINTS`] and searches each: unchanged, and with each of [`STEPS`].
    pub fn simulate(&self, method: &Method, times: usize, seed: u64) -> History {
        let mut random = Random::new(seed);
        let mut history = History::default();
        for _ in 0..times {
            let values = self.resample(&mut random, POINTS);
            let (before, after) = values.split_at(BEFORE);
            let mut detector = method.detector();
            history.false_alarms += report(&mut detector, before.iter().copied()).count() as u64;
            for (share, delays) in STEPS.iter().zip(&mut history.delays) {
                let stepped = after.iter().map(|value| value * (1.0 + share));
                let found = report(&mut detector.clone(), stepped).find(|found| found.is_slower_from(BEFORE));
                delays.extend(found.map(|found| found.pushed));
            }
            history.false_alarms += report(&mut detector, after.iter().copied()).count() as u64;
            history.searched += POINTS as u64;
            history.injected += 1;
        }
        history
    }
}

/// A change that would be reported.
struct Found {
    index: usize,
    is_slower: bool,
    /// How many of the given values had been processed.
    pushed: u32,
}

impl Found {
    fn is_slower_from(&self, place: usize) -> bool {
        self.is_slower && self.index.abs_diff(place) <= NEAR
    }
}

/// The changes reported while these values are processed.
fn report<'a>(
    detector: &'a mut Detector<'_>,
    values: impl Iterator<Item = f64> + 'a,
) -> impl Iterator<Item = Found> + 'a {
    (1..).zip(values).filter_map(|(pushed, value)| {
        // Resampled values are residuals of valid measurements, so `push` cannot fail.
        let step = detector.push(value).ok()??;
        step.is_alert().then_some(Found { index: step.index, is_slower: step.after > step.before, pushed })
    })
}

impl History {
    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.searched += other.searched;
        self.false_alarms += other.false_alarms;
        self.injected += other.injected;
        for (delays, others) in self.delays.iter_mut().zip(other.delays) {
            delays.extend(others);
        }
    }

    /// For each of [`STEPS`], how many were found.
    pub fn found(&self) -> [u64; STEPS.len()] {
        self.delays.each_ref().map(|delays| delays.len() as u64)
    }

    /// For each of [`STEPS`], the median number of points until it was reported, over those found.
    pub fn median_delays(&self) -> [Option<u32>; STEPS.len()] {
        self.delays.each_ref().map(|delays| {
            let mut delays = delays.clone();
            let middle = delays.len().checked_sub(1)? / 2;
            Some(*delays.select_nth_unstable(middle).1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values near these levels with this autocorrelation.
    fn series(levels: &[(f64, usize)], deviation: f64, autocorrelation: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut uniform = || random.below(1 << 30) as f64 / f64::from(1 << 30);
        let mut noise = 0.0;
        let levels = levels.iter().flat_map(|&(level, count)| std::iter::repeat_n(level, count));
        levels
            .map(|level| {
                let innovation = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                noise =
                    autocorrelation * noise + innovation * (1.0 - autocorrelation * autocorrelation).sqrt();
                level * (deviation * noise).exp()
            })
            .collect()
    }

    fn simulate(values: &[f64], changes: &[usize]) -> History {
        Residuals::of(values, changes).unwrap().simulate(Method::shipped(), 100, 1)
    }

    #[test]
    fn quiet_series_has_no_false_alarms_and_short_delays() {
        let history = simulate(&series(&[(1_000.0, 300)], 0.003, 0.0, 1), &[]);
        assert_eq!((history.searched, history.false_alarms, history.injected), (30_000, 0, 100));
        assert_eq!(history.found(), [100; 4]);
        assert!(history.median_delays().iter().all(|delay| (4..=8).contains(&delay.unwrap())), "{history:?}");
    }

    #[test]
    fn noise_hides_and_delays_small_steps() {
        let history = simulate(&series(&[(1_000.0, 400)], 0.03, 0.3, 2), &[]);
        let [three, five, ten, quarter] = history.found();
        assert!(three < 50 && five >= three && ten > five && quarter >= 95, "{:?}", history.found());
        let delays = history.median_delays();
        assert!(delays[1] > delays[3], "{delays:?}");
    }

    #[test]
    fn known_changes_are_not_part_of_the_noise() {
        let values = series(&[(1_000.0, 150), (1_500.0, 150)], 0.005, 0.0, 3);
        assert_eq!(simulate(&values, &[150]).false_alarms, 0);
        assert!(simulate(&values, &[]).false_alarms > 50);
    }

    #[test]
    fn resampling_keeps_the_autocorrelation() {
        let autocorrelation = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let pairs: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
            pairs / values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
        };
        let residuals = Residuals::of(&series(&[(1.0, 500)], 0.02, 0.7, 4), &[]).unwrap();
        let found = autocorrelation(&residuals.resample(&mut Random::new(5), 20_000));
        // Of twenty neighbours, nineteen pairs are in the same block.
        assert!((found - 0.7 * 0.95).abs() < 0.06, "{found}");
    }

    #[test]
    fn results_are_reproducible_and_add_up() {
        let residuals = Residuals::of(&series(&[(1.0, 200)], 0.02, 0.3, 6), &[]).unwrap();
        let [one, again, other] = [1, 1, 2].map(|seed| residuals.simulate(Method::shipped(), 5, seed));
        assert_eq!(one, again);
        let mut sum = one.clone();
        sum.add(other.clone());
        assert_eq!((sum.searched, sum.injected), (3_000, 10));
        assert_eq!(sum.found()[3], one.found()[3] + other.found()[3]);
    }

    #[test]
    fn too_few_values_of_one_level_are_rejected() {
        assert!(Residuals::of(&[1.0; 58], &[]).is_none());
        assert!(Residuals::of(&[1.0; 59], &[]).is_some());
        let changes: Vec<usize> = (1..30).map(|nth| nth * 10).collect();
        assert!(Residuals::of(&[1.0; 300], &changes).is_none());
        assert!(Residuals::of(&[&[1.0; 100][..], &[0.0]].concat(), &[]).is_none());
    }

    proptest! {
        #[test]
        fn no_block_spans_a_change(lengths in proptest::collection::vec(1..120_usize, 1..6)) {
            // A residual is 0 if the level of its own part was subtracted.
            let values: Vec<f64> =
                (1..).zip(&lengths).flat_map(|(nth, &count)| vec![f64::from(nth); count]).collect();
            let changes: Vec<usize> = lengths.iter().scan(0, |end, length| { *end += length; Some(*end) }).collect();
            if let Some(residuals) = Residuals::of(&values, &changes) {
                prop_assert!(residuals.values.iter().all(|residual| residual.abs() < 1e-12));
                for begin in residuals.blocks {
                    prop_assert!(values[begin] == values[begin + BLOCK - 1]);
                }
            }
        }
    }
}
