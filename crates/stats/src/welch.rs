//! The t test of Welch (1947), which allows the two sides to have different variances. Node's benchmark comparison
//! prints it, and Roundtrip shows it for readers who know it. Verdicts come from [rank tests](crate::unequal_scatter).

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::beta_reg;

/// Result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// The difference of the means, second minus first, in standard errors.
    pub t: f64,
    /// Degrees of freedom (Satterthwaite 1946).
    pub degrees: f64,
    /// Probability of a t at least this far from zero if the means are equal.
    pub p_two_sided: f64,
}

/// Compares the means of two sides. Returns `None` if a side has fewer than two values or if both sides have no
/// variance, because the standard error is then undefined.
///
/// ```
/// use roundtrip_stats::welch::{stars, welch};
/// let test = welch(&[1.0, 2.0, 3.0], &[11.0, 12.0, 13.0]).unwrap();
/// assert_eq!((format!("{:.3}", test.t), stars(test.p_two_sided)), ("12.247".into(), "***"));
/// ```
pub fn welch(first: &[f64], second: &[f64]) -> Option<Welch> {
    let Difference { mean, error, degrees } = Difference::of(first, second)?;
    let t = mean / error;
    // Abramowitz and Stegun (1964), 26.7.1 with 26.5.27.
    let p_two_sided = beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t));
    Some(Welch { t, degrees, p_two_sided })
}

/// Returns the smallest increase of all values of the second side with which its mean is larger and the two-sided p-value is
/// at most `p_max`. Without a t, every increase counts.
pub(crate) fn significant_shift(first: &[f64], second: &[f64], p_max: f64) -> f64 {
    let Some(Difference { mean, error, degrees }) = Difference::of(first, second) else {
        return f64::NEG_INFINITY;
    };
    let Ok(distribution) = StudentsT::new(0.0, 1.0, degrees) else { return f64::INFINITY };
    -distribution.inverse_cdf(p_max / 2.0) * error - mean
}

/// The standard error of the difference of the means.
pub(crate) fn standard_error(first: &[f64], second: &[f64]) -> Option<f64> {
    Difference::of(first, second).map(|difference| difference.error)
}

/// The difference of the means, its standard error and degrees of freedom.
struct Difference {
    mean: f64,
    error: f64,
    degrees: f64,
}

impl Difference {
    fn of(first: &[f64], second: &[f64]) -> Option<Self> {
        let (first, second) = (Moments::of(first)?, Moments::of(second)?);
        let (a, b) = (first.variance / first.count, second.variance / second.count);
        let error = a + b;
        if error.is_nan() || error <= 0.0 {
            return None;
        }
        let degrees = error * error / (a * a / (first.count - 1.0) + b * b / (second.count - 1.0));
        Some(Self { mean: second.mean - first.mean, error: error.sqrt(), degrees })
    }
}

/// The mark that Node's tool prints for a p-value: `***` below 0.1 %, `**` below 1 %, `*` below 5 % (nodejs/node,
/// `benchmark/compare.R`). It does not account for the number of rows.
pub fn stars(p: f64) -> &'static str {
    match p {
        p if p < 0.001 => "***",
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        _ => "",
    }
}

struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some(Self { count, mean, variance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
    }

    /// `scipy.stats.ttest_ind(second, first, equal_var=False)`, `SciPy` 1.17.1.
    #[test]
    fn t_test_matches_scipy() {
        let first = [20.5, 19.8, 21.1, 20.0, 20.7, 19.9, 20.3];
        let second = [21.9, 20.9, 22.4, 21.3, 23.0, 21.1];
        let found = welch(&first, &second).unwrap();
        close(found.t, 3.795_695_514_097_334_7);
        close(found.degrees, 7.725_949_894_435_953);
        close(found.p_two_sided, 0.005_619_861_104_384_989);
    }

    #[test]
    fn no_result_without_variance() {
        for sides in [[&[1.0][..], &[2.0, 3.0]], [&[1.0, 1.0], &[2.0, 2.0]], [&[], &[]]] {
            assert_eq!(welch(sides[0], sides[1]), None);
        }
        assert_eq!(welch(&[f64::NAN, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn stars_match_nodes_tool() {
        let marks = [0.0005, 0.001, 0.009, 0.01, 0.049, 0.05, 1.0].map(stars);
        assert_eq!(marks, ["***", "**", "**", "*", "*", "", ""]);
    }
}
