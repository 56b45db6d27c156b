//! Reproducible random numbers.

/// The splitmix64 generator (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts a generator; the same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number of the standard normal distribution (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        // Above 0, so that its logarithm is finite.
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A number from 0 to below `end`, which must not be 0; nearly uniform (Lemire 2019).
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The result is less than `end`, so it fits into a `usize`.
        usize::try_from((u128::from(self.next()) * end as u128) >> 64).unwrap_or_default()
    }

    /// Shuffles values; every order is equally probable (Fisher and Yates 1938; Durstenfeld 1964).
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_are_equally_probable() {
        let mut random = Random::new(1);
        let mut orders = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut values = [0, 1, 2];
            random.shuffle(&mut values);
            *orders.entry(values).or_insert(0) += 1;
        }
        // Expected: 1,000 each, with a standard deviation of 29.
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|count| (880..1_120).contains(count)), "{orders:?}");
    }

    #[test]
    fn same_seed_gives_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| random.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
    }
}
