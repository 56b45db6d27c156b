//! Rank tests over a sliding window: is there a place before which values tend to be smaller, or larger, than after it?
//! The change-point model of Hawkins and Deng (2010, Journal of Quality Technology 42(2)), which applies the rank-sum
//! test of Mann and Whitney to every place.
//!
//! Ranks do not depend on the shape of the noise or on outliers: for independent noise, the false-alarm rate is the
//! same for every distribution.

/// A place in the window, and the strength of the evidence for a change there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) before: usize,
    /// The distance of the rank sum from its mean, divided by the distance needed.
    pub(super) strength: f64,
}

/// The weights of rank sums, for every number of values on either side.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    capacity: usize,
    /// One row for each window of 0, 1, 2… values, indexed by the number of values before the split.
    weights: Vec<f64>,
}

impl Weights {
    /// Prepares weights for windows of up to `capacity` values with at least `persistence` on each side of a split. A
    /// strength of 1 is a distance of `deviations` standard deviations.
    pub(super) fn new(capacity: usize, persistence: usize, deviations: f64) -> Self {
        let mut weights = vec![0.0; Self::row(capacity + 1)];
        for values in 2 * persistence..=capacity {
            for before in persistence..=values - persistence {
                weights[Self::row(values) + before] = weight(before, values - before, deviations);
            }
        }
        Self { capacity, weights }
    }

    fn row(values: usize) -> usize {
        // 0 + 1 + 2 + …
        values * values.saturating_sub(1) / 2
    }

    fn of(&self, values: usize) -> &[f64] {
        &self.weights[Self::row(values)..Self::row(values + 1)]
    }

    /// The strength of one split of values with these balances.
    pub(super) fn strength(&self, balances: &[f64], before: usize) -> f64 {
        let sum: f64 = balances.iter().skip(before).sum();
        self.of(balances.len()).get(before).map_or(0.0, |weight| sum.abs() * weight)
    }
}

/// The factor for a sum of balances. The variance of the sum is that of twice the statistic U of Mann and Whitney. With
/// few values, the tail of U is shorter than a normal one because of its excess kurtosis; the distance is corrected for
/// that (Cornish and Fisher 1938).
fn weight(before: usize, after: usize, deviations: f64) -> f64 {
    let (m, k) = (before as f64, after as f64);
    let all = m + k + 1.0;
    let variance = m * k * all / 3.0;
    let excess = -1.2 * (m * m + k * k + m * k + m + k) / (m * k * all);
    let distance = deviations + excess * (deviations.powi(3) - 3.0 * deviations) / 24.0;
    1.0 / (variance.sqrt() * distance)
}

/// The newest values of a series, each with its balance: the number of smaller values minus the number of larger ones.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    capacity: usize,
    /// Room for twice the capacity: values that have left are removed together.
    values: Vec<f64>,
    balances: Vec<f64>,
    first: usize,
    sums: Vec<f64>,
}

impl Ranks {
    pub(super) fn new(capacity: usize) -> Self {
        let room = 2 * capacity.max(1);
        Self {
            capacity: capacity.max(1),
            values: Vec::with_capacity(room),
            balances: Vec::with_capacity(room),
            first: 0,
            sums: Vec::with_capacity(capacity),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len() - self.first
    }

    /// Whether this many newest values are all above the median of the window, or all below it.
    pub(super) fn are_newest_on_one_side(&self, count: usize) -> bool {
        let newest = self.balances.iter().rev().take(count);
        newest.clone().all(|balance| *balance > 0.0) || newest.clone().all(|balance| *balance < 0.0)
    }

    /// Replaces all values with these, as if pushed one after the other.
    pub(super) fn restart(&mut self, values: &[f64]) {
        let newest = &values[values.len().saturating_sub(self.capacity)..];
        self.values.clear();
        self.values.extend_from_slice(newest);
        self.balances = balances(newest);
        self.first = 0;
    }

    /// Adds the next value; if the window is full, the oldest one leaves.
    pub(super) fn push(&mut self, value: f64) {
        let leaves = (self.len() == self.capacity).then(|| self.values[self.first]);
        if leaves.is_some() {
            self.first += 1;
        }
        if self.values.len() == 2 * self.capacity {
            self.values.drain(..self.first);
            self.balances.drain(..self.first);
            self.first = 0;
        }
        // If no value leaves, NaN compares as equal and changes no balance.
        let left = leaves.unwrap_or(f64::NAN);
        let mut balance = 0.0;
        for (other, others) in self.values[self.first..].iter().zip(&mut self.balances[self.first..]) {
            let larger = sign(value, *other);
            balance += larger;
            *others -= larger + sign(*other, left);
        }
        self.values.push(value);
        self.balances.push(balance);
    }

    /// Returns the strongest split; the first of equal ones. `None` if there is no evidence, for example if all values
    /// are equal.
    pub(super) fn best(&mut self, weights: &Weights) -> Option<Split> {
        debug_assert!(self.capacity <= weights.capacity, "weights for a smaller window");
        let balances = &self.balances[self.first..];
        // Pairs on the same side of a split cancel out, so the sum of the balances after it is that of the pairs across
        // it.
        self.sums.resize(balances.len(), 0.0);
        let mut sum = 0.0;
        for (place, balance) in self.sums.iter_mut().zip(balances).rev() {
            sum += balance;
            *place = sum;
        }
        let strengths = self.sums.iter().zip(weights.of(balances.len()));
        let strengths = strengths.map(|(sum, weight)| sum.abs() * weight);
        let strength = strengths.clone().fold(0.0, |most: f64, next| if next > most { next } else { most });
        if strength <= 0.0 {
            return None;
        }
        let before = strengths.into_iter().position(|next| next >= strength)?;
        Some(Split { before, strength })
    }
}

/// Returns 1 if the first is larger, -1 if it is smaller, 0 if they are equal or one is NaN. Without branches, so the
/// compiler can vectorize it.
fn sign(first: f64, second: f64) -> f64 {
    let larger = if first > second { 1.0 } else { 0.0 };
    let smaller = if first < second { 1.0 } else { 0.0 };
    larger - smaller
}

/// Computes the balances of all values.
pub(super) fn balances(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut balances = vec![0.0; values.len()];
    let mut smaller = 0;
    for equal in order.chunk_by(|&one, &other| values[one] == values[other]) {
        let larger = values.len() - smaller - equal.len();
        for &index in equal {
            balances[index] = smaller as f64 - larger as f64;
        }
        smaller += equal.len();
    }
    balances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mann_whitney::rank_sum;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sliding_window_equals_a_new_window(
            values in proptest::collection::vec(-20..20_i32, 1..120), capacity in 8..40_usize,
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let weights = Weights::new(capacity, 2, 3.0);
            let mut ranks = Ranks::new(capacity);
            for (index, &value) in values.iter().enumerate() {
                ranks.push(value);
                let window = &values[(index + 1).saturating_sub(capacity)..=index];
                prop_assert_eq!(&ranks.balances[ranks.first..], &balances(window)[..]);
                let strengths = (0..window.len()).map(|before| weights.strength(&balances(window), before));
                let most = strengths.fold(0.0, f64::max);
                let best = ranks.best(&weights).map_or(0.0, |split| split.strength);
                prop_assert!((best - most).abs() < 1e-12, "{} {}", best, most);
                let mut again = Ranks::new(capacity);
                again.restart(&values[..=index]);
                prop_assert_eq!(again.best(&weights), ranks.best(&weights));
            }
        }

        #[test]
        fn sum_of_balances_is_mann_whitney_u(
            first in proptest::collection::vec(-20..20_i32, 1..30),
            second in proptest::collection::vec(-20..20_i32, 1..30),
        ) {
            let [first, second] = [first, second].map(|side| side.into_iter().map(f64::from).collect::<Vec<_>>());
            let all = [first.clone(), second.clone()].concat();
            let sum: f64 = balances(&all)[first.len()..].iter().sum();
            let u = rank_sum(&first, &second).unwrap().u_second;
            prop_assert_eq!(sum, 2.0 * u - (first.len() * second.len()) as f64);
        }
    }

    #[test]
    fn distance_is_normal_for_many_values_and_shorter_for_few() {
        let distance = |m: usize, k: usize| {
            let sum = ((m * k * (m + k + 1)) as f64 / 3.0).sqrt();
            1.0 / (weight(m, k, 4.5) * sum)
        };
        assert!((distance(10_000, 10_000) - 4.5).abs() < 1e-3, "{}", distance(10_000, 10_000));
        assert!(
            distance(100, 5) < 3.8 && distance(100, 10) > 4.0,
            "{} {}",
            distance(100, 5),
            distance(100, 10)
        );
    }

    #[test]
    fn equal_values_have_no_split() {
        let weights = Weights::new(16, 4, 4.5);
        let mut ranks = Ranks::new(16);
        for _ in 0..40 {
            ranks.push(7.0);
            assert_eq!(ranks.best(&weights), None);
        }
        ranks.restart(&[]);
        assert_eq!((ranks.len(), ranks.best(&weights)), (0, None));
    }
}
