//! Correction for multiple tests: of a hundred tests, one is below 1 % by chance alone.

/// Adjusts p-values for the number of tests (Benjamini and Hochberg 1995), in the order of the input. Among the tests
/// with an adjusted p of at most q, the expected share of false positives is at most q. If no test has a true effect,
/// the probability of any false positive is at most q.
///
/// ```
/// use roundtrip_stats::adjust::benjamini_hochberg;
/// assert_eq!(benjamini_hochberg(&[0.5, 0.01]), [0.5, 0.02]);
/// ```
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by(|&one, &other| p[other].total_cmp(&p[one]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0_f64;
    for (larger, &index) in order.iter().enumerate() {
        let rank = p.len() - larger;
        // Multiplying and dividing may lose the last digit: an adjusted p is never below the original.
        least = least.min((p[index] * p.len() as f64 / rank as f64).max(p[index]));
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Benjamini and Hochberg (1995), section 3.1: at q = 5 %, four of these fifteen are found.
    #[test]
    fn published_example_has_four_discoveries() {
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = benjamini_hochberg(&p).into_iter().filter(|&adjusted| adjusted <= 0.05).count();
        assert_eq!(found, 4);
    }

    /// `scipy.stats.false_discovery_control`, `SciPy` 1.17.1.
    #[test]
    fn adjusted_p_values_match_scipy() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005, 0.5, 0.2]);
        for (found, expected) in adjusted.into_iter().zip([0.03, 0.06, 0.06, 0.03, 0.5, 0.24]) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    proptest! {
        #[test]
        fn adjusting_never_lowers_p_and_keeps_the_order(
            p in proptest::collection::vec(0.0..=1.0_f64, 0..40),
        ) {
            let adjusted = benjamini_hochberg(&p);
            prop_assert_eq!(adjusted.len(), p.len());
            for (one, one_adjusted) in p.iter().zip(&adjusted) {
                prop_assert!(one_adjusted >= one && *one_adjusted <= 1.0);
                for (other, other_adjusted) in p.iter().zip(&adjusted) {
                    prop_assert!(one > other || one_adjusted <= other_adjusted);
                }
            }
        }
    }
}
