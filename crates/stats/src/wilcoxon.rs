//! The signed-rank test of Wilcoxon (1945) for paired values: does one value of a pair tend to be larger than the
//! other?

use crate::normal;
use std::sync::OnceLock;

/// Result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// The number of pairs used: those whose values differ.
    pub pairs_used: usize,
    /// Sum of the ranks of the pairs whose first value is larger.
    pub w_plus: f64,
    /// Sum of the ranks of the pairs whose second value is larger.
    pub w_minus: f64,
    /// The two-sided p-value: the probability of sums at least this uneven if neither side tends to be larger. Above 0,
    /// at most 1.
    pub p_two_sided: f64,
    /// Whether `p_two_sided` is exact; otherwise it is the normal approximation.
    pub exact: bool,
}

/// Up to this many pairs, the exact distribution is used; all 2^50 sign patterns fit into 64 bits.
const EXACT_PAIRS_MAX: usize = 50;

/// Tests the two values of each pair, two-sided. Returns `None` if no pair differs.
///
/// Pairs without a difference are dropped, as in Wilcoxon's paper, and so are those whose difference is NaN. Equal
/// absolute differences share the mean of their ranks. With at most 50 pairs, the p-value is exact, given the ties. With
/// more it is the normal approximation, with the variance corrected for ties and a continuity correction of half a rank
/// (Hollander, Wolfe and Chicken 2014, section 3.1).
///
/// ```
/// use roundtrip_stats::wilcoxon::signed_rank;
/// let always_larger = [(2.0, 1.0), (4.0, 2.0), (6.0, 3.0), (8.0, 4.0), (10.0, 5.0), (12.0, 6.0)];
/// assert_eq!(signed_rank(&always_larger).map(|test| test.p_two_sided), Some(2.0 / 64.0));
/// ```
pub fn signed_rank(pairs: &[(f64, f64)]) -> Option<SignedRank> {
    let mut differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
    differences.retain(|difference| *difference != 0.0 && !difference.is_nan());
    differences.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let pairs_used = differences.len();
    if pairs_used == 0 {
        return None;
    }

    let (mut w_plus, mut w_minus) = (0.0, 0.0);
    // The sum of t^3 - t over all groups of t ties; zero without ties.
    let mut ties = 0.0;
    let mut doubled_ranks = Vec::with_capacity(pairs_used);
    for group in differences.chunk_by(|a, b| a.abs() == b.abs()) {
        let size = group.len() as f64;
        let middle_rank = doubled_ranks.len() as f64 + (size + 1.0) / 2.0;
        let positive = group.iter().filter(|difference| **difference > 0.0).count() as f64;
        w_plus += positive * middle_rank;
        w_minus += (size - positive) * middle_rank;
        ties += size * size * size - size;
        doubled_ranks.extend(group.iter().map(|_| doubled(middle_rank)));
    }

    let smaller = w_plus.min(w_minus);
    let exact = pairs_used <= EXACT_PAIRS_MAX;
    let p_two_sided = if !exact {
        approximate_p(pairs_used, smaller, ties)
    } else if ties == 0.0 {
        exact_p(pairs_used)[index(smaller)]
    } else {
        p_of_sums(&doubled_ranks)[doubled(smaller)]
    };
    Some(SignedRank { pairs_used, w_plus, w_minus, p_two_sided, exact })
}

/// Two-sided p-values of all rank sums: the share of the 2^n equally probable sign patterns of ranks 1 to n with at
/// most that sum, times two. Computed once for each n.
fn exact_p(n: usize) -> &'static [f64] {
    static EXACT: [OnceLock<Vec<f64>>; EXACT_PAIRS_MAX + 1] =
        [const { OnceLock::new() }; EXACT_PAIRS_MAX + 1];
    EXACT[n].get_or_init(|| p_of_sums(&(1..=n).collect::<Vec<_>>()))
}

/// Two-sided p-values of all sums of some of the ranks.
fn p_of_sums(ranks: &[usize]) -> Vec<f64> {
    // ways[sum]: how many subsets of the ranks so far have this sum.
    let mut ways = vec![0_u64; ranks.iter().sum::<usize>() + 1];
    ways[0] = 1;
    let mut largest = 0;
    for rank in ranks {
        largest += rank;
        for sum in (*rank..=largest).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    both_tails(&ways)
}

/// Converts the number of ways to get each sum into two-sided p-values: twice the share with at most that sum, at most
/// 1.
pub(crate) fn both_tails(ways: &[u64]) -> Vec<f64> {
    let all: u64 = ways.iter().sum();
    let mut tail = 0;
    let share = |&ways: &u64| {
        tail += ways;
        (2.0 * tail as f64 / all as f64).min(1.0)
    };
    ways.iter().map(share).collect()
}

/// The normal approximation of the p-value, with the variance corrected for `ties`.
fn approximate_p(n: usize, smaller: f64, ties: f64) -> f64 {
    let n = n as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    normal::rank_sum_p(smaller, mean, variance)
}

/// The two-sided p-value of a rank sum of at most `sum`, without ties.
pub(crate) fn p_at_most(pairs: usize, sum: usize) -> f64 {
    if pairs <= EXACT_PAIRS_MAX { exact_p(pairs)[sum] } else { approximate_p(pairs, sum as f64, 0.0) }
}

/// Twice a rank or a sum of ranks: an integer, also for ranks halfway between two others.
pub(crate) fn doubled(rank: f64) -> usize {
    index(2.0 * rank)
}

/// Converts a sum of integer ranks to an index.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the ranks are whole")]
pub(crate) fn index(sum: f64) -> usize {
    sum as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs whose differences have the sizes 1 to n; the ranks of the negative ones add up to `w_minus`.
    fn with_rank_sum(n: u32, w_minus: u32) -> Vec<(f64, f64)> {
        let mut left = w_minus;
        let mut pairs = Vec::new();
        for rank in (1..=n).rev() {
            let negative = rank <= left;
            left -= if negative { rank } else { 0 };
            pairs.push(if negative { (0.0, f64::from(rank)) } else { (f64::from(rank), 0.0) });
        }
        pairs
    }

    fn against_zero(differences: &[i32]) -> SignedRank {
        let pairs: Vec<(f64, f64)> = differences.iter().map(|&d| (f64::from(d), 0.0)).collect();
        signed_rank(&pairs).unwrap()
    }

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Hollander and Wolfe (1973), table 3.1: depression scale factors before and after treatment.
    #[test]
    #[expect(clippy::approx_constant, reason = "3.14 is what was measured")]
    fn result_matches_hollander_and_wolfe() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let pairs: Vec<(f64, f64)> = before.into_iter().zip(after).collect();
        let expected =
            SignedRank { pairs_used: 9, w_plus: 40.0, w_minus: 5.0, p_two_sided: 0.0390625, exact: true };
        assert_eq!(signed_rank(&pairs), Some(expected));
    }

    /// The textbook table of critical values, two-sided 5 % (`McCornack` 1965, JASA 60, for the larger n).
    #[test]
    fn critical_values_match_the_table() {
        for (n, critical) in [
            (6, 0),
            (7, 2),
            (8, 3),
            (9, 5),
            (10, 8),
            (12, 13),
            (15, 25),
            (20, 52),
            (25, 89),
            (30, 137),
            (50, 434),
        ] {
            let p = |w| signed_rank(&with_rank_sum(n, w)).unwrap().p_two_sided;
            assert!(p(critical) <= 0.05, "n {n}, W {critical}: {}", p(critical));
            assert!(p(critical + 1) > 0.05, "n {n}, W {}: {}", critical + 1, p(critical + 1));
        }
        assert_eq!(signed_rank(&with_rank_sum(6, 0)).unwrap().p_two_sided, 0.03125);
    }

    /// `scipy.stats.wilcoxon(d, method="exact")`, `SciPy` 1.17.1.
    #[test]
    fn exact_p_values_match_scipy() {
        for (n, w, expected) in
            [(10, 9, 0.064453125), (20, 52, 0.04844093322753906), (50, 435, 0.05060520369320898)]
        {
            let found = signed_rank(&with_rank_sum(n, w)).unwrap();
            assert!(found.exact);
            close(found.p_two_sided, expected);
        }
    }

    /// `scipy.stats.wilcoxon(d, method=PermutationMethod(n_resamples=inf))`, `SciPy` 1.17.1.
    #[test]
    fn exact_p_values_with_ties_match_scipy() {
        let found = against_zero(&[3, -1, 2, 2, -2, 5, 4, -1, 6, 1, 0, 7]);
        assert_eq!((found.pairs_used, found.w_minus, found.exact), (11, 9.0, true));
        assert_eq!(found.p_two_sided, 0.0341796875);
    }

    /// `scipy.stats.wilcoxon(d, zero_method="wilcox", correction=True, method="approx")`, `SciPy` 1.17.1.
    #[test]
    fn approximate_p_values_match_scipy() {
        let with_ties: Vec<i32> = (0..60).map(|n| n * n % 23 - 9).collect();
        let found = against_zero(&with_ties);
        assert_eq!((found.pairs_used, found.w_plus, found.exact), (55, 605.0, false));
        close(found.p_two_sided, 0.16702809418774467);

        let sixty: Vec<i32> = (1..=60).map(|d| if d % 3 == 0 { -d } else { d }).collect();
        let found = against_zero(&sixty);
        assert_eq!((found.w_minus, found.exact), (630.0, false));
        close(found.p_two_sided, 0.03622649417878663);
    }

    #[test]
    fn equal_pairs_have_no_result() {
        assert_eq!(signed_rank(&[]), None);
        assert_eq!(signed_rank(&[(1.0, 1.0), (2.0, 2.0), (f64::INFINITY, f64::INFINITY)]), None);
    }

    #[test]
    fn p_is_above_zero_for_many_pairs() {
        let pairs = vec![(2.0, 1.0); 10_000];
        assert!(signed_rank(&pairs).unwrap().p_two_sided > 0.0);
    }

    proptest! {
        #[test]
        fn swapping_the_sides_swaps_the_sums(
            pairs in proptest::collection::vec((-20..20_i32, -20..20_i32), 0..80),
        ) {
            let pairs: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
            let swapped: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let expected = signed_rank(&pairs)
                .map(|test| SignedRank { w_plus: test.w_minus, w_minus: test.w_plus, ..test });
            prop_assert_eq!(signed_rank(&swapped), expected);
        }

        #[test]
        fn exact_p_values_with_ties_match_enumeration(
            differences in proptest::collection::vec(prop_oneof![-4..0_i32, 1..4_i32], 1..11),
        ) {
            let found = against_zero(&differences);
            let flipped = (0..1_u32 << differences.len()).map(|signs| {
                let flip = |(nth, &d): (usize, &i32)| if signs >> nth & 1 == 1 { -d } else { d };
                let test = against_zero(&differences.iter().enumerate().map(flip).collect::<Vec<_>>());
                test.w_plus.min(test.w_minus)
            });
            let smaller = found.w_plus.min(found.w_minus);
            let as_far = flipped.filter(|&other| other <= smaller).count();
            let expected = as_far as f64 / f64::from(1_u32 << differences.len());
            prop_assert!((found.p_two_sided - expected).abs() < 1e-12, "{} is not {expected}", found.p_two_sided);
        }

        #[test]
        fn sums_contain_every_rank_once(
            pairs in proptest::collection::vec((-1e9..1e9_f64, -1e9..1e9_f64), 1..80),
        ) {
            let test = signed_rank(&pairs).unwrap();
            let n = test.pairs_used as f64;
            prop_assert_eq!(test.w_plus + test.w_minus, n * (n + 1.0) / 2.0);
            prop_assert!(test.p_two_sided > 0.0 && test.p_two_sided <= 1.0, "{}", test.p_two_sided);
        }
    }
}
