//! Error rates of comparisons: false positives if both sides are the same, and detection of changes of known size.
//!
//! The repetitions of one run were measured in random order, interleaved over all its cases. Comparing one half with
//! the other half is a comparison of a commit with itself, on the same machine in the same minutes: every reported
//! change is a false positive. Real comparisons have all repetitions on either side and are more sensitive.

use crate::random::Random;
use crate::verdict::{self, Rule, Sides, Tested, Verdict};

/// The simulated changes, as shares of the base's time.
pub const STEPS: [f64; 2] = [0.05, 0.10];
/// The smallest number of repetitions in a half that can give a verdict.
pub const REPETITIONS_MIN: usize = 6;

/// Result for a case whose halves are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// Whether a change was reported, although there is none.
    pub is_false: bool,
    /// Whether each of [`STEPS`] is found if it is added to one half of this case and to no other case.
    pub is_found: [bool; STEPS.len()],
}

/// Compares two halves of a run's repetitions, with all cases in one comparison. Times are in nanoseconds. Returns
/// `None` for a case that has too few repetitions or a time of 0; it takes no part in the comparison.
pub fn compare(rule: &Rule, cases: &[&[u64]], seed: u64) -> Vec<Option<CaseResult>> {
    let mut random = Random::new(seed);
    let halves = cases.iter().map(|times| split(times, &mut random));
    let logarithms = |half: Vec<u64>| half.into_iter().map(|ns| (ns as f64).ln()).collect();
    let sides: Vec<Option<Sides>> =
        halves.map(|halves| Some(Sides { p50s: halves?.map(logarithms), ..Sides::default() })).collect();
    let compared: Vec<&Sides> = sides.iter().flatten().collect();
    let rows: Vec<Tested> = compared.iter().map(|sides| Tested::of(rule, sides)).collect();
    let mut answers =
        verdict::with_verdicts(rule, rows.clone(), 0).into_iter().enumerate().map(|(index, row)| {
            let [base, head] = &compared[index].p50s;
            let is_found = STEPS.map(|share| {
                let slower: Vec<f64> = head.iter().map(|time| time + share.ln_1p()).collect();
                let slower = Sides { p50s: [base.clone(), slower], ..Sides::default() };
                let mut rows = rows.clone();
                rows[index] = Tested::of(rule, &slower);
                verdict::with_verdicts(rule, rows, 0)[index].p50.verdict == Some(Verdict::Regressed)
            });
            CaseResult { is_false: row.p50.changed(), is_found }
        });
    sides.iter().map(|sides| sides.as_ref().and_then(|_| answers.next())).collect()
}

/// Splits the repetitions at random into two halves of equal size.
fn split(times: &[u64], random: &mut Random) -> Option<[Vec<u64>; 2]> {
    let half = times.len() / 2;
    if half < REPETITIONS_MIN || times.contains(&0) {
        return None;
    }
    let mut times = times.to_vec();
    random.shuffle(&mut times);
    let head = times.split_off(half);
    Some([times, head[..half].to_vec()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison;

    /// Times that scatter by this many percent.
    fn times(count: usize, percent: u64, seed: u64) -> Vec<u64> {
        let mut random = Random::new(seed);
        let mut one = || 1_000 * (100 - percent) + percent * 2 * random.below(1_000) as u64;
        (0..count).map(|_| one() * one() / 100_000).collect()
    }

    fn results(cases: &[Vec<u64>], seed: u64) -> Vec<Option<CaseResult>> {
        let cases: Vec<&[u64]> = cases.iter().map(Vec::as_slice).collect();
        compare(&Rule::default(), &cases, seed)
    }

    #[test]
    fn false_positive_rate_is_at_most_one_percent() {
        let cases: Vec<_> = (0..4).map(|seed| times(24, 10, seed)).collect();
        let is_false = |seed: &u64| results(&cases, *seed).iter().flatten().any(|result| result.is_false);
        // At a rate of 1 %, more than 7 of 200 have a probability below one in a thousand.
        let count = (0..200).filter(is_false).count();
        assert!(count <= 7, "{count} of 200");
    }

    #[test]
    fn slowdown_is_found_unless_noise_hides_it() {
        let [quiet, noisy] = [1, 30].map(|percent| results(&[times(30, percent, 1)], 1)[0].unwrap());
        assert_eq!(quiet, CaseResult { is_false: false, is_found: [true, true] });
        assert_eq!(noisy, CaseResult { is_false: false, is_found: [false, false] });
    }

    #[test]
    fn many_cases_need_stronger_evidence() {
        // 14 repetitions are seven on each side: two sides that do not overlap have a p of 2 / 3,432.
        let alone = vec![times(14, 1, 1)];
        let many: Vec<_> = (1..=40).map(|seed| times(14, 1, seed)).collect();
        assert_eq!(results(&alone, 3)[0].unwrap().is_found, [true, true]);
        assert_eq!(results(&many, 3)[0].unwrap().is_found, [false, false]);
    }

    #[test]
    fn cases_with_too_few_repetitions_are_left_out() {
        let (few, none) = (times(11, 1, 1), vec![0; 20]);
        let many = times(12, 1, 2);
        let results = results(&[few, many, none], 1);
        assert_eq!(results.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn verdicts_equal_those_of_a_comparison() {
        let cases: Vec<_> = (0..8).map(|seed| times(16, 5, seed)).collect();
        let mut random = Random::new(9);
        let halves: Vec<[Vec<u64>; 2]> =
            cases.iter().map(|times| split(times, &mut random).unwrap()).collect();
        for (index, result) in results(&cases, 9).into_iter().enumerate() {
            for (step, percent) in [5, 10].into_iter().enumerate() {
                let mut halves = halves.clone();
                // Accurate to a nanosecond of 100,000.
                halves[index][1].iter_mut().for_each(|ns| *ns += *ns * percent / 100);
                let sides: Vec<_> = halves.iter().map(|[base, head]| Some((&base[..], &head[..]))).collect();
                let compared = comparison::compare(&Rule::default(), &sides)[index].unwrap();
                assert_eq!(result.unwrap().is_found[step], compared.verdict == Verdict::Regressed);
            }
        }
    }
}
