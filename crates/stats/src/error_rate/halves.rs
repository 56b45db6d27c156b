//! Comparisons: false verdicts where both sides are the same, and which changes of known size are found.
//!
//! The repetitions of one run were measured in random order, those of all its cases between each other. Half of them compared
//! with the other half is a comparison of a commit with itself, on the same machine in the same minutes: whatever is said to
//! have changed is said falsely. Real comparisons have all of the repetitions on either side and tell more.

use crate::random::Random;
use crate::verdict::{self, Rule, Sides, Tested, Verdict};

/// The changes that are looked for, as shares of the base's time.
pub const STEPS: [f64; 2] = [0.05, 0.10];
/// With fewer repetitions a half cannot tell anything.
pub const REPETITIONS_MIN: usize = 6;

/// The result of comparing a case's halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Whether it is reported as changed, which is a false positive.
    pub is_false: bool,
    /// Whether each of [`STEPS`] is found when one half of this case, and of no other, is made slower by it.
    pub is_found: [bool; STEPS.len()],
}

/// Compares each half of a run's repetitions with the other: all its cases, by their repetitions' times in nanoseconds, as one
/// comparison. `None` for a case with too few repetitions, or with one that took no time; it has no part in the comparison.
pub fn compare(rule: &Rule, cases: &[&[u64]], seed: u64) -> Vec<Option<Told>> {
    let mut random = Random::new(seed);
    let halves = cases.iter().map(|times| split(times, &mut random));
    let logarithms = |half: Vec<u64>| half.into_iter().map(|ns| (ns as f64).ln()).collect();
    let sides: Vec<Option<Sides>> =
        halves.map(|halves| Some(Sides { p50s: halves?.map(logarithms), ..Sides::default() })).collect();
    let told: Vec<&Sides> = sides.iter().flatten().collect();
    let rows: Vec<Tested> = told.iter().map(|sides| Tested::of(rule, sides)).collect();
    let mut answers = verdict::judged(rule, rows.clone()).into_iter().enumerate().map(|(index, row)| {
        let [base, head] = &told[index].p50s;
        let is_found = STEPS.map(|share| {
            let slower: Vec<f64> = head.iter().map(|time| time + share.ln_1p()).collect();
            let slower = Sides { p50s: [base.clone(), slower], ..Sides::default() };
            let mut rows = rows.clone();
            rows[index] = Tested::of(rule, &slower);
            verdict::judged(rule, rows)[index].p50.verdict == Some(Verdict::Regressed)
        });
        Told { is_false: row.p50.changed(), is_found }
    });
    sides.iter().map(|sides| sides.as_ref().and_then(|_| answers.next())).collect()
}

/// Two halves of as many repetitions, at random.
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

    /// Times of repetitions that scatter by so many percent.
    fn times(count: usize, percent: u64, seed: u64) -> Vec<u64> {
        let mut random = Random::new(seed);
        let mut one = || 1_000 * (100 - percent) + percent * 2 * random.below(1_000) as u64;
        (0..count).map(|_| one() * one() / 100_000).collect()
    }

    fn told(cases: &[Vec<u64>], seed: u64) -> Vec<Option<Told>> {
        let cases: Vec<&[u64]> = cases.iter().map(Vec::as_slice).collect();
        compare(&Rule::default(), &cases, seed)
    }

    #[test]
    fn a_commit_compared_with_itself_is_rarely_said_to_have_changed() {
        let cases: Vec<_> = (0..4).map(|seed| times(24, 10, seed)).collect();
        let is_false = |seed: &u64| told(&cases, *seed).iter().flatten().any(|told| told.is_false);
        // At 1 % more than 7 of 200 have a probability of less than one in a thousand.
        let count = (0..200).filter(is_false).count();
        assert!(count <= 7, "{count} of 200");
    }

    #[test]
    fn what_is_slower_is_found_where_it_stands_out() {
        let [quiet, noisy] = [1, 30].map(|percent| told(&[times(30, percent, 1)], 1)[0].unwrap());
        assert_eq!(quiet, Told { is_false: false, is_found: [true, true] });
        assert_eq!(noisy, Told { is_false: false, is_found: [false, false] });
    }

    #[test]
    fn among_many_cases_more_is_needed() {
        // 14 repetitions are seven on a side: two sides that are apart have a p of 2 / 3,432.
        let alone = vec![times(14, 1, 1)];
        let many: Vec<_> = (1..=40).map(|seed| times(14, 1, seed)).collect();
        assert_eq!(told(&alone, 3)[0].unwrap().is_found, [true, true]);
        assert_eq!(told(&many, 3)[0].unwrap().is_found, [false, false]);
    }

    #[test]
    fn what_has_too_few_repetitions_cannot_tell_and_has_no_part() {
        let (few, none) = (times(11, 1, 1), vec![0; 20]);
        let many = times(12, 1, 2);
        let told = told(&[few, many, none], 1);
        assert_eq!(told.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn it_is_judged_as_any_comparison() {
        let cases: Vec<_> = (0..8).map(|seed| times(16, 5, seed)).collect();
        let mut random = Random::new(9);
        let halves: Vec<[Vec<u64>; 2]> =
            cases.iter().map(|times| split(times, &mut random).unwrap()).collect();
        for (index, told) in told(&cases, 9).into_iter().enumerate() {
            for (step, percent) in [5, 10].into_iter().enumerate() {
                let mut halves = halves.clone();
                // Within a nanosecond of 100,000.
                halves[index][1].iter_mut().for_each(|ns| *ns += *ns * percent / 100);
                let sides: Vec<_> = halves.iter().map(|[base, head]| Some((&base[..], &head[..]))).collect();
                let compared = comparison::unpaired(&Rule::default(), &sides)[index].unwrap();
                assert_eq!(told.unwrap().is_found[step], compared.verdict == Verdict::Regressed);
            }
        }
    }
}
