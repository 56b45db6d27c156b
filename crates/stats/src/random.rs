//! Random numbers that are the same whenever their seed is.

/// The generator splitmix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// All numbers follow from the seed.
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
    #[cfg(test)]
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from 0 to below `end`, which is not 0; all of them nearly as often (Lemire 2019).
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // It is less than `end`, and fits where that does.
        usize::try_from((u128::from(self.next()) * end as u128) >> 64).unwrap_or_default()
    }

    /// Puts values into any order, each as often (Fisher and Yates 1938; Durstenfeld 1964).
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
    fn every_number_and_every_order_comes_about_as_often() {
        let mut random = Random::new(1);
        let mut orders = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut values = [0, 1, 2];
            random.shuffle(&mut values);
            *orders.entry(values).or_insert(0) += 1;
        }
        // 1,000 each, with a standard deviation of 29.
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|count| (880..1_120).contains(count)), "{orders:?}");
    }

    #[test]
    fn the_same_seed_has_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| random.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
    }
}
