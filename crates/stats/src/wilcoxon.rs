//! The signed-rank test of Wilcoxon (1945) for paired values: is the one of a pair larger than the other more often,
//! and by more, than chance alone would have it?

use crate::normal;
use std::sync::OnceLock;

/// What the test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Pairs whose two values differ.
    pub pairs_used: usize,
    /// Sum of the ranks of the pairs whose first value is the larger one.
    pub w_plus: f64,
    /// Sum of the ranks of the pairs whose second value is the larger one.
    pub w_minus: f64,
    /// How probable sums at least this uneven are when neither side tends to be larger; above 0, at most 1.
    pub p_two_sided: f64,
    /// True when `p_two_sided` was counted out, false when it is the normal approximation.
    pub exact: bool,
}

/// Up to this many pairs the distribution of the rank sum is counted out; all 2^50 cases fit into 64 bits.
const EXACT_PAIRS_MAX: usize = 50;

/// Compares the two values of each pair, two-sided. `None` when no pair differs.
///
/// Pairs without a difference are dropped, as Wilcoxon did, and so are those whose difference is not a number.
/// Differences of the same size share the middle of their ranks. Without such ties and with at most 50 pairs
/// the probability is exact; else it is the normal approximation, with the variance corrected for ties and half a
/// rank of continuity (Hollander, Wolfe and Chicken 2014, section 3.1).
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
    // The sum of t^3 - t over all groups of t equal sizes; zero when there are no ties.
    let mut ties = 0.0;
    let mut ranked = 0;
    for group in differences.chunk_by(|a, b| a.abs() == b.abs()) {
        let size = group.len() as f64;
        let middle_rank = ranked as f64 + (size + 1.0) / 2.0;
        let positive = group.iter().filter(|difference| **difference > 0.0).count() as f64;
        w_plus += positive * middle_rank;
        w_minus += (size - positive) * middle_rank;
        ties += size * size * size - size;
        ranked += group.len();
    }

    let smaller = w_plus.min(w_minus);
    let exact = ties == 0.0 && pairs_used <= EXACT_PAIRS_MAX;
    let p_two_sided =
        if exact { exact_p(pairs_used)[index(smaller)] } else { approximate_p(pairs_used, smaller, ties) };
    Some(SignedRank { pairs_used, w_plus, w_minus, p_two_sided, exact })
}

/// How probable a rank sum of at most the index is, both sides together: of the 2^n equally probable ways to sign the
/// ranks 1 to n, twice the share of those with such a sum. Counted out once for each n.
fn exact_p(n: usize) -> &'static [f64] {
    static COUNTED: [OnceLock<Vec<f64>>; EXACT_PAIRS_MAX + 1] =
        [const { OnceLock::new() }; EXACT_PAIRS_MAX + 1];
    COUNTED[n].get_or_init(|| {
        // ways[sum]: how many subsets of the ranks so far have this sum.
        let mut ways = vec![0_u64; n * (n + 1) / 2 + 1];
        ways[0] = 1;
        let mut largest = 0;
        for rank in 1..=n {
            largest += rank;
            for sum in (rank..=largest).rev() {
                ways[sum] += ways[sum - rank];
            }
        }
        both_tails(&ways)
    })
}

/// Of the ways to have each sum, the share with at most that sum, twice: both tails share the middle when the two sums are
/// equal.
pub(crate) fn both_tails(ways: &[u64]) -> Vec<f64> {
    let all: u64 = ways.iter().sum();
    let mut tail = 0;
    let share = |&ways: &u64| {
        tail += ways;
        (2.0 * tail as f64 / all as f64).min(1.0)
    };
    ways.iter().map(share).collect()
}

/// The same by the normal distribution, with the variance corrected for `ties`.
fn approximate_p(n: usize, smaller: f64, ties: f64) -> f64 {
    let n = n as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    normal::rank_sum_p(smaller, mean, variance)
}

/// How probable, both sides together, a rank sum of at most this is among so many pairs without ties.
pub(crate) fn p_at_most(pairs: usize, sum: usize) -> f64 {
    if pairs <= EXACT_PAIRS_MAX { exact_p(pairs)[sum] } else { approximate_p(pairs, sum as f64, 0.0) }
}

/// A sum of whole ranks.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "without ties ranks are whole")]
pub(crate) fn index(sum: f64) -> usize {
    sum as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs whose differences have the sizes 1 to n, and the ranks of the negative ones add up to `w_minus`.
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
    fn the_depression_scale_of_hollander_and_wolfe_has_its_published_result() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let pairs: Vec<(f64, f64)> = before.into_iter().zip(after).collect();
        let expected =
            SignedRank { pairs_used: 9, w_plus: 40.0, w_minus: 5.0, p_two_sided: 0.0390625, exact: true };
        assert_eq!(signed_rank(&pairs), Some(expected));
    }

    /// The table of critical values in textbooks, two-sided 5 % (`McCornack` 1965, JASA 60, for the larger n).
    #[test]
    fn critical_values_at_five_percent_are_those_of_the_table() {
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
    fn exact_probabilities_are_those_of_scipy() {
        for (n, w, expected) in
            [(10, 9, 0.064453125), (20, 52, 0.04844093322753906), (50, 435, 0.05060520369320898)]
        {
            let found = signed_rank(&with_rank_sum(n, w)).unwrap();
            assert!(found.exact);
            close(found.p_two_sided, expected);
        }
    }

    /// `scipy.stats.wilcoxon(d, zero_method="wilcox", correction=True, method="approx")`, `SciPy` 1.17.1.
    #[test]
    fn approximate_probabilities_with_ties_and_zeroes_are_those_of_scipy() {
        let found = against_zero(&[3, -1, 2, 2, -2, 5, 4, -1, 6, 1, 0, 7]);
        assert_eq!((found.pairs_used, found.w_minus, found.exact), (11, 9.0, false));
        close(found.p_two_sided, 0.03593053579903494);

        let sixty: Vec<i32> = (1..=60).map(|d| if d % 3 == 0 { -d } else { d }).collect();
        let found = against_zero(&sixty);
        assert_eq!((found.w_minus, found.exact), (630.0, false));
        close(found.p_two_sided, 0.03622649417878663);
    }

    #[test]
    fn equal_values_leave_nothing_to_test() {
        assert_eq!(signed_rank(&[]), None);
        assert_eq!(signed_rank(&[(1.0, 1.0), (2.0, 2.0), (f64::INFINITY, f64::INFINITY)]), None);
    }

    #[test]
    fn an_overwhelming_difference_still_has_a_probability_above_zero() {
        let pairs = vec![(2.0, 1.0); 10_000];
        assert!(signed_rank(&pairs).unwrap().p_two_sided > 0.0);
    }

    proptest! {
        #[test]
        fn swapping_the_sides_swaps_the_sums_and_keeps_the_probability(
            pairs in proptest::collection::vec((-20..20_i32, -20..20_i32), 0..80),
        ) {
            let pairs: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
            let swapped: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let expected = signed_rank(&pairs)
                .map(|test| SignedRank { w_plus: test.w_minus, w_minus: test.w_plus, ..test });
            prop_assert_eq!(signed_rank(&swapped), expected);
        }

        #[test]
        fn sums_hold_every_rank_once_and_the_probability_is_one(
            pairs in proptest::collection::vec((-1e9..1e9_f64, -1e9..1e9_f64), 1..80),
        ) {
            let test = signed_rank(&pairs).unwrap();
            let n = test.pairs_used as f64;
            prop_assert_eq!(test.w_plus + test.w_minus, n * (n + 1.0) / 2.0);
            prop_assert!(test.p_two_sided > 0.0 && test.p_two_sided <= 1.0, "{}", test.p_two_sided);
        }
    }
}
