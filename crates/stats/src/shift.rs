//! The size of the difference between two sides: the estimate of Hodges and Lehmann (1963), and the interval of all
//! shifts that the rank test does not reject (Hollander, Wolfe and Chicken 2014, sections 3.2, 3.3, 4.2 and 4.3).
//!
//! An interval from the ranks of the test needs no random numbers. It assumes only that a change shifts the whole
//! distribution. Ranks are integers, so only some coverages are possible: with eight pairs, 94.5 % or 96.1 %. Each end
//! is therefore interpolated between the two values that cover a little more and a little less than requested, in
//! proportion to their coverage (Hettmansperger and Sheather 1986 for the median; Nyblom 1992). The result is never
//! wider than the exact interval: if the test rejects a shift at this confidence, the interval excludes it.

use crate::wilcoxon::index;
use crate::{mann_whitney, wilcoxon};

/// The shift of the second side relative to the first, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The estimated shift.
    pub estimate: f64,
    /// The confidence interval of the true shift; `None` if there are too few values.
    pub interval: Option<[f64; 2]>,
}

/// Estimates the shift of paired values: the median of the averages of all pairs of differences, each with itself
/// included. Ignores NaN. Returns `None` without values.
///
/// ```
/// use roundtrip_stats::shift;
/// let shift = shift::paired(&[1.0, 2.0, 6.0], 0.95).unwrap();
/// assert_eq!((shift.estimate, shift.interval), (2.75, None));
/// ```
pub fn paired(differences: &[f64], confidence: f64) -> Option<Shift> {
    let differences = numbers(differences);
    let pairs = differences.len();
    let outside = outside(1.0 - confidence, pairs * (pairs + 1) / 2, |sum| wilcoxon::p_at_most(pairs, sum));
    Shift::of(averages(&differences), outside)
}

/// Returns the estimate of [`paired`] only: the pseudomedian of the values.
///
/// ```
/// assert_eq!(roundtrip_stats::shift::pseudomedian(&[1.0, 2.0, 6.0]), Some(2.75));
/// ```
pub fn pseudomedian(values: &[f64]) -> Option<f64> {
    Shift::of(averages(&numbers(values)), None).map(|shift| shift.estimate)
}

/// Returns the smallest increase of the second side with which the rank-sum test is significant at `p_max` and that side is
/// larger: the test counts the negative differences. Infinite if there is none.
pub(crate) fn significant_unpaired(first: &[f64], second: &[f64], p_max: f64) -> f64 {
    let (m, n) = (first.len(), second.len());
    let negative_max = outside(p_max, m * n, |u| mann_whitney::p_at_most(m, n, u));
    let Some((negative_max, _)) = negative_max else { return f64::INFINITY };
    let mut differences = differences(first, second);
    let (_, next, _) = differences.select_nth_unstable_by(negative_max, f64::total_cmp);
    -*next
}

/// The averages of all pairs of values, each with itself included (Walsh averages).
fn averages(values: &[f64]) -> Vec<f64> {
    (0..values.len())
        .flat_map(|first| (first..values.len()).map(move |second| (first, second)))
        .map(|(first, second)| f64::midpoint(values[first], values[second]))
        .collect()
}

fn numbers(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|value| !value.is_nan()).collect()
}

/// Estimates the shift of unpaired values: the median of the differences between every value of the second side and
/// every value of the first. Returns `None` if a side has no value.
pub fn unpaired(first: &[f64], second: &[f64], confidence: f64) -> Option<Shift> {
    let (first, second) = (numbers(first), numbers(second));
    Shift::of(differences(&first, &second), outside_unpaired(first.len(), second.len(), confidence))
}

/// Like [`unpaired`], for sides that may scatter differently. The rank test assumes equal scatter: if one side scatters
/// ten times as much, its 95 % interval covers 91 %. This interval is wider by the factor by which the number of larger
/// values varies more than under equal scatter, from the placements of Fligner and Policello (1981; Hollander, Wolfe
/// and Chicken 2014, section 4.4). It is never narrower.
///
/// ```
/// use roundtrip_stats::shift::{unpaired, unpaired_unequal_scatter};
/// let narrow: Vec<f64> = (0..10).map(|nth| 100.0 + 0.01 * f64::from(nth)).collect();
/// let wide: Vec<f64> = (0..10).map(|nth| 95.5 + f64::from(nth)).collect();
/// let [low, high] = unpaired(&narrow, &wide, 0.95).unwrap().interval.unwrap();
/// let [lower, higher] = unpaired_unequal_scatter(&narrow, &wide, 0.95).unwrap().interval.unwrap();
/// assert!(lower < low && high < higher);
/// ```
pub fn unpaired_unequal_scatter(first: &[f64], second: &[f64], confidence: f64) -> Option<Shift> {
    let (first, second) = (numbers(first), numbers(second));
    let (m, n) = (first.len(), second.len());
    let differences = differences(&first, &second);
    let estimate = Shift::of(differences.clone(), None)?.estimate;
    let equal = outside_unpaired(m, n, confidence);
    let factor = scatter_factor(&differences, m, estimate);
    let half = (m * n) as f64 / 2.0;
    let fewer = |(outside, further): (usize, f64)| {
        let rank = half - factor * (half - outside as f64 - further);
        (rank >= 0.0).then(|| (index(rank.floor()), rank.fract()))
    };
    let outside = if factor > 1.0 { equal.and_then(fewer) } else { equal };
    Shift::of(differences, outside)
}

/// Returns the average of independent shifts. The distances from the average to the ends of its interval are those of
/// the shifts, added like variances, separately for each end (method of variance estimates recovery: Zou and Donner
/// 2008). Returns `None` without shifts; the interval is `None` if a shift has none.
///
/// ```
/// use roundtrip_stats::shift::{Shift, mean};
/// let shifts = [[7.0, 11.0], [4.0, 6.0]].map(|[low, high]| Shift { estimate: (low + high) / 2.0 - 1.0, interval: Some([low, high]) });
/// // (8 + 4) / 2, and half of the square roots of 1 + 0 and of 9 + 4.
/// assert_eq!(mean(&shifts), Some(Shift { estimate: 6.0, interval: Some([5.5, 6.0 + 13_f64.sqrt() / 2.0]) }));
/// ```
pub fn mean(shifts: &[Shift]) -> Option<Shift> {
    let count = shifts.len() as f64;
    let estimate = shifts.iter().map(|shift| shift.estimate).sum::<f64>() / count;
    let squares = shifts.iter().try_fold([0.0; 2], |[below, above], shift| {
        let [low, high] = shift.interval?;
        Some([below + (shift.estimate - low).powi(2), above + (high - shift.estimate).powi(2)])
    });
    let interval =
        squares.map(|[below, above]| [estimate - below.sqrt() / count, estimate + above.sqrt() / count]);
    (!shifts.is_empty()).then_some(Shift { estimate, interval })
}

/// Every value of the second side minus every value of the first. Each row has one value of the second side.
fn differences(first: &[f64], second: &[f64]) -> Vec<f64> {
    let mut differences = Vec::with_capacity(first.len() * second.len());
    differences.extend(second.iter().flat_map(|second| first.iter().map(move |first| second - first)));
    differences
}

fn outside_unpaired(m: usize, n: usize, confidence: f64) -> Option<(usize, f64)> {
    outside(1.0 - confidence, m * n, |u| mann_whitney::p_at_most(m, n, u))
}

/// The factor by which the number of larger values varies more than between sides with equal scatter, at least 1: the
/// square root of the estimated variance divided by its mean under equal scatter. Each row of the differences belongs
/// to one value of the second side.
///
/// That mean follows from the variance of a placement, which is uniform on 0 to n, `n (n + 2) / 12`, and the covariance
/// of two placements of one side, `n / 12`: `((m - 1) n (n + 1) + (n - 1) m (m + 1)) / 12` for both sums of squares,
/// and `m n / 4` for the product of the means. Without it, the interval for ten repetitions would cover 97 %.
fn scatter_factor(differences: &[f64], m: usize, shift: f64) -> f64 {
    let n = differences.len() / m;
    let (mut of_first, mut of_second) = (vec![0.0; m], Vec::with_capacity(n));
    for row in differences.chunks_exact(m) {
        let mut larger = 0.0;
        for (placement, difference) in of_first.iter_mut().zip(row) {
            // Equal values count half on either side.
            let is_larger = if *difference == shift { 0.5 } else { f64::from(*difference > shift) };
            larger += is_larger;
            *placement += 1.0 - is_larger;
        }
        of_second.push(larger);
    }
    let mean = |placements: &[f64]| placements.iter().sum::<f64>() / placements.len() as f64;
    let squares = |placements: &[f64]| {
        let mean = mean(placements);
        placements.iter().map(|placement| (placement - mean).powi(2)).sum::<f64>()
    };
    let variance = squares(&of_first) + squares(&of_second) + mean(&of_first) * mean(&of_second);
    let (m, n) = (m as f64, n as f64);
    let equal = ((m - 1.0) * n * (n + 1.0) + (n - 1.0) * m * (m + 1.0)) / 12.0 + m * n / 4.0;
    (variance / equal).sqrt().max(1.0)
}

impl Shift {
    /// Returns the median of the values, and the interval that leaves out `outside` values on each side.
    fn of(mut values: Vec<f64>, outside: Option<(usize, f64)>) -> Option<Self> {
        let last = values.len().checked_sub(1)?;
        let mut read = vec![last / 2, last.div_ceil(2)];
        read.extend(
            outside.iter().flat_map(|&(low, _)| [low, low + 1, last - low, (last - low).saturating_sub(1)]),
        );
        read.retain(|rank| *rank <= last);
        read.sort_unstable();
        partially_sort(&mut values, &read, 0);
        let estimate = f64::midpoint(values[last / 2], values[last.div_ceil(2)]);
        let interval = outside.map(|(outside, further)| {
            let end = |whole: f64, next: f64| whole + further * (next - whole);
            // The difference of equal infinities is NaN, so do not interpolate.
            if further == 0.0 {
                return [values[outside], values[last - outside]];
            }
            [
                end(values[outside], values[outside + 1]),
                end(values[last - outside], values[last - outside - 1]),
            ]
        });
        Some(Self { estimate, interval })
    }
}

/// Moves the values of these ascending ranks to where sorting would put them. Only six of thousands are needed, so this
/// is faster than sorting. The first value has the rank `first`.
fn partially_sort(values: &mut [f64], ranks: &[usize], first: usize) {
    let Some(&rank) = ranks.get(ranks.len() / 2) else { return };
    let (before, _, after) = values.select_nth_unstable_by(rank - first, f64::total_cmp);
    partially_sort(before, &ranks[..ranks.partition_point(|other| *other < rank)], first);
    partially_sort(after, &ranks[ranks.partition_point(|other| *other <= rank)..], rank + 1);
}

/// Returns how many sorted values to leave out on each side, so that the true shift is outside with the probability
/// `miss`: the largest sum that the test still rejects, and the fraction of the way to the next value. Returns `None`
/// if the test rejects no sum.
fn outside(miss: f64, values: usize, p_at_most: impl Fn(usize) -> f64) -> Option<(usize, f64)> {
    // Tolerance of 1e-9 for rounding: six pairs cover exactly 96.875 %, and must be enough for that confidence.
    let allowed = miss * (1.0 + 1e-9);
    let (mut rejected, mut kept) = (0, values.div_ceil(2));
    while rejected < kept {
        let middle = usize::midpoint(rejected, kept);
        if p_at_most(middle) <= allowed { rejected = middle + 1 } else { kept = middle }
    }
    let outside = rejected.checked_sub(1)?;
    // Beyond the middle, the ends would cross.
    if 2 * (outside + 1) >= values {
        return Some((outside, 0.0));
    }
    let [less, more] = [outside, outside + 1].map(p_at_most);
    let further = (miss - less) / (more - less);
    // If the coverage is exact except for rounding, do not interpolate.
    Some((outside, if further < 1e-6 { 0.0 } else { further }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mann_whitney::{PERMEABILITY_AT_TERM, PERMEABILITY_BEFORE};
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    fn is(shift: Shift, estimate: f64, [low, high]: [f64; 2]) {
        close(shift.estimate, estimate);
        let [found_low, found_high] = shift.interval.unwrap();
        close(found_low, low);
        close(found_high, high);
    }

    /// Hollander and Wolfe (1973), examples 3.1 to 3.3: depression scale factors before and after treatment.
    #[test]
    #[expect(clippy::approx_constant, reason = "3.14 is what was measured")]
    fn paired_shift_matches_hollander_and_wolfe() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
        // The book's interval is the exact one: nine pairs have a coverage of 96.1 %.
        is(paired(&differences, 0.960_937_5).unwrap(), -0.46, [-0.786, -0.010]);
    }

    /// Hollander and Wolfe (1973), examples 4.3 and 4.4.
    #[test]
    fn unpaired_shift_matches_hollander_and_wolfe() {
        // The book's interval is the exact one: ten and five have a coverage of 96.0 %, as 120 of 3,003 ways to rank
        // them miss it.
        let shift = unpaired(&PERMEABILITY_AT_TERM, &PERMEABILITY_BEFORE, 1.0 - 120.0 / 3_003.0).unwrap();
        is(shift, -0.305, [-0.76, 0.15]);
    }

    #[test]
    fn too_few_values_have_no_interval() {
        assert_eq!(paired(&[1.0; 5], 0.95), Some(Shift { estimate: 1.0, interval: None }));
        assert_eq!(unpaired(&[1.0; 3], &[2.0; 3], 0.95), Some(Shift { estimate: 1.0, interval: None }));
        assert_eq!((paired(&[], 0.95), unpaired(&[], &[1.0], 0.95)), (None, None));
        assert!(paired(&[1.0; 6], 0.95).unwrap().interval.is_some());
    }

    /// With six pairs, the interval from the smallest to the largest average misses with 3.125 %, and the one between
    /// the next averages with 6.25 %. 5 % is six tenths of the way. The averages of 1 to 6 are 1, 1.5, 2 and so on.
    #[test]
    fn interval_ends_are_interpolated_by_coverage() {
        is(paired(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).unwrap(), 3.5, [1.3, 5.7]);
    }

    /// If one side has no scatter, only the signs of the other's values matter. The sign test's interval of 15 values
    /// is from the 4th to the 12th (Conover 1999, section 3.2); the rank test's is from the 5th to the 11th.
    #[test]
    fn constant_side_gives_the_sign_test_interval() {
        let second: Vec<f64> = (1..=15).map(f64::from).collect();
        let [low, high] = unpaired(&[0.0; 15], &second, 0.95).unwrap().interval.unwrap();
        assert_eq!((low, high), (5.0, 11.0));
        let [low, high] = unpaired_unequal_scatter(&[0.0; 15], &second, 0.95).unwrap().interval.unwrap();
        assert_eq!((low, high), (4.0, 12.0));
    }

    proptest! {
        #[test]
        fn unequal_scatter_only_widens_the_interval(
            first in proptest::collection::vec(-100..100_i32, 1..20),
            second in proptest::collection::vec(-1_000..1_000_i32, 1..20),
        ) {
            let [first, second] = [first, second].map(|side| side.into_iter().map(f64::from).collect::<Vec<_>>());
            let (equal, unequal) =
                (unpaired(&first, &second, 0.95).unwrap(), unpaired_unequal_scatter(&first, &second, 0.95).unwrap());
            prop_assert_eq!(equal.estimate, unequal.estimate);
            match (equal.interval, unequal.interval) {
                (Some([low, high]), Some([wider_low, wider_high])) => prop_assert!(wider_low <= low && high <= wider_high),
                // Too few values for this confidence.
                (_, unequal) => prop_assert_eq!(unequal, None),
            }
        }

        #[test]
        fn interval_excludes_zero_iff_the_test_is_significant(
            differences in proptest::collection::hash_set(-1_000..1_000_i32, 6..40),
        ) {
            let differences: Vec<f64> = differences.into_iter().map(|value| f64::from(value) + 0.25).collect();
            let pairs: Vec<(f64, f64)> = differences.iter().map(|&value| (value, 0.0)).collect();
            // Ties have no exact p-value.
            let test = wilcoxon::signed_rank(&pairs).unwrap();
            prop_assume!(test.exact);
            let leaves_zero_out = |confidence| {
                let [low, high] = paired(&differences, confidence).unwrap().interval.unwrap();
                low > 0.0 || high < 0.0
            };
            // Exact at a probability that integer ranks can have; between two of them, at least.
            let n = differences.len();
            let attained = (0..).map(|sum| wilcoxon::p_at_most(n, sum)).take_while(|&p| p <= 0.05).last().unwrap();
            prop_assert_eq!(test.p_two_sided <= 0.05, leaves_zero_out(1.0 - attained));
            prop_assert!(test.p_two_sided > 0.05 || leaves_zero_out(0.95));
        }

        #[test]
        fn shifting_all_values_shifts_estimate_and_interval(
            first in proptest::collection::vec(-100..100_i32, 4..30),
            second in proptest::collection::vec(-100..100_i32, 4..30),
            by in -50..50_i32,
        ) {
            let [first, moved] = [&first, &second].map(|side| side.iter().copied().map(f64::from).collect::<Vec<_>>());
            let second: Vec<f64> = moved.iter().map(|value| value + f64::from(by)).collect();
            let (before, after) = (unpaired(&first, &moved, 0.9).unwrap(), unpaired(&first, &second, 0.9).unwrap());
            prop_assert_eq!(after.estimate - before.estimate, f64::from(by));
            let moved_by = |end: usize| Some(after.interval?[end] - before.interval?[end]);
            prop_assert_eq!(after.interval.is_some(), before.interval.is_some());
            prop_assert!([0, 1].into_iter().filter_map(moved_by).all(|moved| (moved - f64::from(by)).abs() < 1e-9));
        }
    }
}
