//! The minimum detectable change of a row that is compared without pairs: the smallest slowdown that its comparison reports
//! with a probability of [`POWER`]. For pairs, see [`bisection::detectable`](crate::bisection::detectable).
//!
//! Simulates comparisons with normal noise and applies the rule to them, with the correction for all tests. The noise of a row
//! gives the scales: the simulated interval, which is from ranks, is as wide as the measured one, and the simulated standard
//! error of the test by size is as large. With heavy tails, the second scale is larger.

use super::{CONFIDENCE, Outcome, Row, Rule};
use crate::random::Random;
use crate::shift::{self, Shift};
use crate::{movement, robust, unequal_scatter};
use std::collections::HashMap;

/// The probability with which a change of the minimum detectable size is reported.
pub const POWER: f64 = 0.9;

/// Simulated comparisons: the standard error of the power is 0.7 %.
const SIMULATIONS: usize = 2_000;
const SEED: u64 = 1;

/// Larger sides are simulated with this many repetitions, for which p-values are exact. In widths of the interval, the power
/// hardly depends on larger numbers.
const SIDE_MAX: usize = 25;

/// Computes the minimum detectable changes of one comparison.
#[derive(Debug)]
pub struct Power {
    /// The smallest change that counts.
    least: f64,
    /// The largest p-value that is significant if nothing else changed.
    p_max: f64,
    /// By the number of repetitions of each side.
    simulated: HashMap<[usize; 2], Simulated>,
}

/// Simulated comparisons without a change, in which repetitions have a standard deviation of 1. None if no change can be
/// significant.
#[derive(Debug)]
struct Simulated {
    comparisons: Vec<Comparison>,
    /// The median width of their intervals,
    width: f64,
    /// and their median standard error.
    error: f64,
}

#[derive(Debug)]
struct Comparison {
    /// The smallest significant changes by ranks and by size.
    significant: [f64; 2],
    estimate: f64,
    /// The lower end of the interval.
    low: f64,
}

impl Power {
    /// For a comparison with this many tests.
    pub fn new(rule: &Rule, tests: usize) -> Self {
        let p_max = rule.false_share / tests.max(1) as f64;
        Self { least: rule.least, p_max, simulated: HashMap::new() }
    }

    /// The minimum detectable change of a case between two runs that scatter like this one, from the p50s of its repetitions.
    /// Deviations between runs are not included.
    pub fn of_run(&mut self, times_ns: &[u64]) -> Option<f64> {
        let times: Vec<f64> = times_ns.iter().map(|&ns| (ns.max(1) as f64).ln()).collect();
        let p50 = Outcome { shift: shift::unpaired(&times, &times, CONFIDENCE), ..Outcome::NOTHING };
        self.detectable(&Row { p50, ..Row::new(self.least) }, [&times; 2])
    }

    /// The minimum detectable change of a row with these p50s of base and head, as logarithms. It is a share of the base's
    /// time; `None` if no change can be significant.
    pub(crate) fn detectable(&mut self, row: &Row, [base, head]: [&[f64]; 2]) -> Option<f64> {
        let [low, high] = row.p50.shift?.interval.filter(|_| movement::is_comparable(row.movement))?;
        let sizes = [base, head].map(|side| side.len().min(SIDE_MAX));
        let Simulated { comparisons, width, error } =
            self.simulated.entry(sizes).or_insert_with(|| Simulated::new(sizes, self.p_max));
        let scale = (high - low) / *width;
        let of_sizes = unequal_scatter::standard_error(base, head) / *error;
        let (least, movement) = (row.least.ln_1p(), row.movement.ln_1p());
        // The conditions of `Rule::verdict`.
        let smallest = |comparison: &Comparison| {
            let Comparison { significant: [by_ranks, by_size], estimate, low } = *comparison;
            let significant = (scale * by_ranks).max(of_sizes * by_size);
            significant.max(least - scale * estimate).max(movement - scale * low)
        };
        let mut changes: Vec<f64> = comparisons.iter().map(smallest).collect();
        changes.sort_unstable_by(f64::total_cmp);
        let enough = POWER * changes.len() as f64;
        let reported = (1..).zip(changes).find(|&(count, _)| f64::from(count) >= enough);
        reported.map(|(_, change)| change.exp_m1())
    }
}

impl Simulated {
    fn new([base, head]: [usize; 2], p_max: f64) -> Self {
        let mut random = Random::new(SEED);
        let (mut comparisons, mut widths, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..SIMULATIONS {
            let mut side = |count| -> Vec<f64> { (0..count).map(|_| random.normal()).collect() };
            let (base, head) = (side(base), side(head));
            let significant = unequal_scatter::significant_shifts(&base, &head, p_max);
            if let Some(Shift { estimate, interval: Some([low, high]) }) =
                shift::unpaired(&base, &head, CONFIDENCE)
                && significant[0].is_finite()
            {
                comparisons.push(Comparison { significant, estimate, low });
                widths.push(high - low);
                errors.push(unequal_scatter::standard_error(&base, &head));
            }
        }
        Self { comparisons, width: robust::median(&mut widths), error: robust::median(&mut errors) }
    }
}
