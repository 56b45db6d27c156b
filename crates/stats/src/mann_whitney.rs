//! The rank-sum test of Mann and Whitney (1947) for unpaired values: do the values of one side tend to be larger than
//! those of the other?

use crate::normal;
use crate::wilcoxon::{both_tails, doubled, index};
use std::sync::OnceLock;

/// Result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSum {
    /// The number of pairs in which the second side's value is larger than the first's; equal ones count half.
    pub u_second: f64,
    /// The two-sided p-value: the probability of a U at least this uneven if neither side tends to be larger. Above 0,
    /// at most 1.
    pub p_two_sided: f64,
    /// Whether `p_two_sided` is exact; otherwise it is the normal approximation.
    pub exact: bool,
}

/// Up to this many values of both sides, the exact distribution is used; the number of ways to choose half of 50 fits
/// into 64 bits.
const EXACT_VALUES_MAX: usize = 50;

/// Compares two sides, two-sided. Ignores NaN. Returns `None` if a side has no value.
///
/// With at most 50 values in total, the p-value is exact, given the ties: equal values share the mean of their ranks, and
/// the p-value is the share of all ways to divide these ranks whose U is at least as far from its mean, on either side.
/// With more values it is the normal approximation, with the variance corrected for ties and a continuity correction of
/// half a rank (Hollander, Wolfe and Chicken 2014, section 4.1).
///
/// ```
/// use roundtrip_stats::mann_whitney::rank_sum;
/// let test = rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
/// assert_eq!(test.map(|test| (test.u_second, test.p_two_sided)), Some((9.0, 0.1)));
/// ```
pub fn rank_sum(first: &[f64], second: &[f64]) -> Option<RankSum> {
    let numbers = |values: &[f64], is_second: bool| -> Vec<(f64, bool)> {
        values.iter().filter(|value| !value.is_nan()).map(|&value| (value, is_second)).collect()
    };
    let (mut all, seconds) = (numbers(first, false), numbers(second, true));
    let (m, n) = (all.len(), seconds.len());
    if m == 0 || n == 0 {
        return None;
    }
    all.extend(seconds);
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));

    let (mut rank_sum, mut ties, mut doubled_ranks) = (0.0, 0.0, Vec::new());
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let size = group.len() as f64;
        let middle_rank = doubled_ranks.len() as f64 + (size + 1.0) / 2.0;
        rank_sum += middle_rank * group.iter().filter(|(_, is_second)| *is_second).count() as f64;
        ties += size * size * size - size;
        doubled_ranks.extend(group.iter().map(|_| doubled(middle_rank)));
    }
    let u_second = rank_sum - (n * (n + 1)) as f64 / 2.0;
    let smaller = u_second.min((m * n) as f64 - u_second);
    let exact = m + n <= EXACT_VALUES_MAX;
    let p_two_sided = if !exact {
        approximate_p(m, n, smaller, ties)
    } else if ties == 0.0 {
        exact_p(m, n)[index(smaller)]
    } else {
        exact_p_with_ties(&doubled_ranks, n, doubled(rank_sum))
    };
    Some(RankSum { u_second, p_two_sided, exact })
}

/// Two-sided p-values of all U: the share of all ways to choose n of m + n ranks with at most that U, times two.
/// Computed once for each m and n.
fn exact_p(m: usize, n: usize) -> &'static [f64] {
    const SIZES: usize = EXACT_VALUES_MAX + 1;
    static EXACT: [[OnceLock<Vec<f64>>; SIZES]; SIZES] =
        [const { [const { OnceLock::new() }; SIZES] }; SIZES];
    EXACT[m][n].get_or_init(|| {
        // ways[k][u]: how many choices of k of the ranks so far have this U. Each chosen rank adds the number of lower
        // ranks that were not chosen.
        let mut ways = vec![vec![0_u64; m * n + 1]; n + 1];
        ways[0][0] = 1;
        for below in 0..m + n {
            for k in (1..=n.min(below + 1)).rev() {
                let added = below + 1 - k;
                for u in added..=m * n {
                    ways[k][u] += ways[k - 1][u - added];
                }
            }
        }
        both_tails(&ways[n])
    })
}

/// The two-sided p-value of a rank sum: the share of all ways to choose `chosen` of the ranks whose sum is at least as far
/// from the mean. Ranks and sums are doubled, so that mid-ranks are integers too. Counts the ways for each sum, one rank
/// after the other (the shift algorithm of Streitberg and Röhmel 1986).
fn exact_p_with_ties(doubled_ranks: &[usize], chosen: usize, doubled_sum: usize) -> f64 {
    let largest = doubled_ranks.iter().rev().take(chosen).sum::<usize>();
    // ways[k][sum]: how many choices of k of the ranks so far have this sum.
    let mut ways = vec![vec![0_u64; largest + 1]; chosen + 1];
    ways[0][0] = 1;
    for (before, &rank) in doubled_ranks.iter().enumerate() {
        for k in (1..=chosen.min(before + 1)).rev() {
            let (fewer, as_many) = ways.split_at_mut(k);
            let with_rank = as_many[0].iter_mut().skip(rank);
            with_rank.zip(&fewer[k - 1]).for_each(|(ways, without)| *ways += without);
        }
    }
    let mean = chosen * (doubled_ranks.len() + 1);
    let distance = doubled_sum.abs_diff(mean);
    let sums = || ways[chosen].iter().enumerate();
    let far: u64 = sums().filter(|(sum, _)| sum.abs_diff(mean) >= distance).map(|(_, ways)| ways).sum();
    far as f64 / sums().map(|(_, ways)| ways).sum::<u64>() as f64
}

/// The normal approximation of the p-value, with the variance corrected for `ties`.
fn approximate_p(m: usize, n: usize, smaller: f64, ties: f64) -> f64 {
    let (m, n) = (m as f64, n as f64);
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    // If all values are equal, there is no evidence for a difference.
    if variance > 0.0 { normal::rank_sum_p(smaller, m * n / 2.0, variance) } else { 1.0 }
}

/// The two-sided p-value of a U of at most `u`, without ties.
pub(crate) fn p_at_most(m: usize, n: usize, u: usize) -> f64 {
    if m + n <= EXACT_VALUES_MAX { exact_p(m, n)[u] } else { approximate_p(m, n, u as f64, 0.0) }
}

/// Hollander and Wolfe (1973), table 4.1, first sample.
#[cfg(test)]
pub(crate) const PERMEABILITY_AT_TERM: [f64; 10] =
    [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
/// Hollander and Wolfe (1973), table 4.1, second sample.
#[cfg(test)]
pub(crate) const PERMEABILITY_BEFORE: [f64; 5] = [1.15, 0.88, 0.90, 0.74, 1.21];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Two sides of these sizes without ties; the second has this U.
    fn with_u(m: usize, n: usize, u: usize) -> (Vec<f64>, Vec<f64>) {
        // Each value of the second side is above as many values of the first as fit, the last one first.
        let mut left = u;
        let mut second = Vec::new();
        for k in (0..n).rev() {
            let above = left.min(m);
            left -= above;
            second.push(above as f64 + 0.5 + k as f64 / (2 * n) as f64);
        }
        ((1..=m).map(|value| value as f64).collect(), second)
    }

    fn test(m: usize, n: usize, u: usize) -> RankSum {
        let (first, second) = with_u(m, n, u);
        rank_sum(&first, &second).unwrap()
    }

    /// Mann and Whitney (1947), table I, and the textbook table of critical values, two-sided 5 %.
    #[test]
    fn critical_values_match_the_table() {
        for (m, n, critical) in [
            (4, 4, 0),
            (5, 5, 2),
            (6, 6, 5),
            (8, 8, 13),
            (10, 10, 23),
            (5, 12, 11),
            (15, 15, 64),
            (20, 20, 127),
        ] {
            for (u, significant) in [(critical, true), (critical + 1, false)] {
                let test = test(m, n, u);
                assert_eq!(test.u_second, u as f64);
                assert!(test.exact);
                assert_eq!(test.p_two_sided <= 0.05, significant, "{m} {n} {u}: {}", test.p_two_sided);
            }
        }
    }

    /// Hollander and Wolfe (1973), table 4.1: permeability of the chorioamnion at term and before.
    #[test]
    fn result_matches_hollander_and_wolfe() {
        let found = rank_sum(&PERMEABILITY_AT_TERM, &PERMEABILITY_BEFORE).unwrap();
        assert_eq!((found.u_second, found.exact), (15.0, true));
        close(found.p_two_sided, 0.254_412_254_412_254_4);
    }

    /// `scipy.stats.mannwhitneyu(method="exact")`, `SciPy` 1.17.1.
    #[test]
    fn exact_p_values_match_scipy() {
        for (m, n, u, expected) in [
            (10, 10, 23, 0.043_257_052_544_978_23),
            (20, 20, 127, 0.049_090_325_189_372_44),
            (25, 25, 200, 0.028_881_271_831_140_223),
        ] {
            let found = test(m, n, u);
            assert!(found.exact);
            close(found.p_two_sided, expected);
        }
    }

    /// `scipy.stats.mannwhitneyu(method=PermutationMethod(n_resamples=inf))`, `SciPy` 1.17.1.
    #[test]
    fn exact_p_values_with_ties_match_scipy() {
        let separated =
            [100.0, 125.0].map(|from| (0..10).map(|nth| from + f64::from(nth)).collect::<Vec<_>>());
        let [first, mut second] = separated;
        second[4] = second[3];
        let found = rank_sum(&first, &second).unwrap();
        assert_eq!((found.u_second, found.exact), (100.0, true));
        close(found.p_two_sided, 1.082_508_822_446_903e-5);

        let first = [3.0, 1.0, 2.0, 2.0, 5.0, 5.0, 7.0, 1.0, 9.0];
        let second = [4.0, 6.0, 6.0, 8.0, 2.0, 9.0, 9.0, 10.0, 5.0];
        let found = rank_sum(&first, &second).unwrap();
        assert_eq!((found.u_second, found.exact), (62.0, true));
        close(found.p_two_sided, 0.055_944_055_944_055_944);
    }

    /// `scipy.stats.mannwhitneyu(method="asymptotic", use_continuity=True)`, `SciPy` 1.17.1.
    #[test]
    fn approximate_p_values_match_scipy() {
        let values = |count: u32, more: u32| -> Vec<f64> {
            (0..count).map(|n| f64::from(n * n % 17 + more)).collect()
        };
        let found = rank_sum(&values(30, 0), &values(28, 3)).unwrap();
        assert_eq!((found.u_second, found.exact), (559.5, false));
        close(found.p_two_sided, 0.030_110_960_209_558_918);

        let first: Vec<f64> = (1..=40).map(f64::from).collect();
        let second: Vec<f64> = first.iter().map(|value| value + 5.5).collect();
        let found = rank_sum(&first, &second).unwrap();
        assert_eq!((found.u_second, found.exact), (1_005.0, false));
        close(found.p_two_sided, 0.049_090_804_709_638);
    }

    #[test]
    fn equal_values_have_a_p_of_one() {
        assert_eq!(rank_sum(&[], &[1.0]), None);
        assert_eq!(rank_sum(&[f64::NAN], &[1.0]), None);
        let test = rank_sum(&[1.0, 1.0], &[1.0, 1.0, 1.0]).unwrap();
        assert_eq!((test.u_second, test.p_two_sided), (3.0, 1.0));
    }

    #[test]
    fn p_is_above_zero_for_many_distinct_values() {
        assert!(rank_sum(&vec![1.0; 5_000], &vec![2.0; 5_000]).unwrap().p_two_sided > 0.0);
    }

    proptest! {
        #[test]
        fn exact_p_values_with_ties_match_enumeration(
            values in proptest::collection::vec(0..5_i32, 2..11),
            seconds in any::<prop::sample::Index>(),
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let n = 1 + seconds.index(values.len() - 1);
            let mean = (n * (values.len() - n)) as f64 / 2.0;
            let distance = |is_second: &dyn Fn(usize) -> bool| {
                let side = |wanted: bool| -> Vec<f64> {
                    let numbered = values.iter().enumerate();
                    numbered.filter(|(nth, _)| is_second(*nth) == wanted).map(|(_, &value)| value).collect()
                };
                let found = rank_sum(&side(false), &side(true)).unwrap();
                ((found.u_second - mean).abs(), found.p_two_sided)
            };
            let (observed, p) = distance(&|nth| nth < n);
            let choices = (0..1_usize << values.len()).filter(|choice| choice.count_ones() as usize == n);
            let distances: Vec<f64> =
                choices.map(|choice| distance(&|nth| choice >> nth & 1 == 1).0).collect();
            let as_far = distances.iter().filter(|&&other| other >= observed).count();
            let expected = as_far as f64 / distances.len() as f64;
            prop_assert!((p - expected).abs() < 1e-12, "{p} is not {expected}");
        }

        #[test]
        fn swapping_the_sides_keeps_p(
            first in proptest::collection::vec(-20..20_i32, 1..40),
            second in proptest::collection::vec(-20..20_i32, 1..40),
        ) {
            let [first, second] = [first, second].map(|side| side.into_iter().map(f64::from).collect::<Vec<_>>());
            let (there, back) = (rank_sum(&first, &second).unwrap(), rank_sum(&second, &first).unwrap());
            prop_assert_eq!(there.u_second + back.u_second, (first.len() * second.len()) as f64);
            prop_assert_eq!(there.p_two_sided, back.p_two_sided);
            prop_assert!(there.p_two_sided > 0.0 && there.p_two_sided <= 1.0);
        }
    }
}
