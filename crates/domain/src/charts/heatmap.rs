//! Heat map of distributions, one column per commit. It shows two modes where quantiles show one band.
//!
//! All columns share their bins, eight per doubling, so that a row of the picture is one range of times.

use super::delta::{self, Deltas};
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::{HIGHEST_NS, InvalidDistribution};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The resolution: bins of 9 %.
pub const STEPS_PER_DOUBLING: u32 = 8;

/// The columns of a heat map, oldest first. Every list has one entry per column.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HeatMapColumns {
    /// Ordinal of the first commit in it.
    pub from_ordinals: Deltas,
    /// Ordinal of the last commit in it; differs from the first if neighbours were merged.
    pub to_ordinals: Deltas,
    /// The bin of the first count. Bin `k` holds times from 2^(k / 8) ns to less than 2^((k + 1) / 8) ns.
    pub first_bins: Deltas,
    /// Numbers of operations by time, from the first bin. A negative number is a run of that many empty bins.
    pub counts: Vec<Vec<i64>>,
    /// Columns with a lossy run, whose lost messages are not included.
    pub lossy: Vec<usize>,
}

/// Collects histograms in any order, and merges those of one commit.
#[derive(Debug, Default)]
pub struct HeatMap {
    by_ordinal: BTreeMap<i64, Column>,
}

#[derive(Debug, Default)]
struct Column {
    first_bin: usize,
    counts: Vec<u64>,
    is_lossy: bool,
}

impl HeatMap {
    /// Adds the stored distribution of a run.
    ///
    /// # Errors
    /// The bytes are not a histogram.
    pub fn add(&mut self, ordinal: i64, is_lossy: bool, histogram: &[u8]) -> Result<(), InvalidDistribution> {
        // The exact extremes are not needed: bins of the heat map contain whole buckets.
        let distribution = Distribution::of_stored(histogram, (0, HIGHEST_NS, 0))?;
        let bins: Vec<(usize, u64)> = distribution
            .log_counts(STEPS_PER_DOUBLING)
            .into_iter()
            .map(|(bin, count)| (bin as usize, count))
            .collect();
        let column = self.by_ordinal.entry(ordinal).or_default();
        column.add(&bins);
        column.is_lossy |= is_lossy;
        Ok(())
    }

    /// The number of commits.
    pub fn commit_count(&self) -> usize {
        self.by_ordinal.len()
    }

    /// All columns. If there are more than `count_max`, neighbours are merged.
    pub fn columns(self, count_max: usize) -> HeatMapColumns {
        let commits: Vec<(i64, Column)> = self.by_ordinal.into_iter().collect();
        let count = commits.len().min(count_max);
        let mut merged: Vec<(i64, i64, Column)> = Vec::with_capacity(count);
        for (place, (ordinal, column)) in commits.iter().enumerate() {
            // About the same number of commits in each.
            if place * count / commits.len() == merged.len() {
                merged.push((*ordinal, *ordinal, Column::default()));
            }
            if let Some((_, to, all)) = merged.last_mut() {
                *to = *ordinal;
                all.add(&column.bins());
                all.is_lossy |= column.is_lossy;
            }
        }
        HeatMapColumns {
            from_ordinals: merged.iter().map(|&(from, ..)| from).collect(),
            to_ordinals: merged.iter().map(|&(_, to, _)| to).collect(),
            first_bins: merged.iter().map(|(.., column)| column.first_bin as i64).collect(),
            counts: merged.iter().map(|(.., column)| coded(&column.counts)).collect(),
            lossy: delta::marked(merged.iter().map(|(.., column)| column.is_lossy)),
        }
    }
}

impl Column {
    /// Adds counts by bin, ascending.
    fn add(&mut self, bins: &[(usize, u64)]) {
        let (Some(&(first, _)), Some(&(last, _))) = (bins.first(), bins.last()) else { return };
        if self.counts.is_empty() {
            self.first_bin = first;
        }
        if first < self.first_bin {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.first_bin - first));
            self.first_bin = first;
        }
        self.counts.resize(self.counts.len().max(last - self.first_bin + 1), 0);
        for &(bin, count) in bins {
            let seen = &mut self.counts[bin - self.first_bin];
            *seen = seen.saturating_add(count);
        }
    }

    fn bins(&self) -> Vec<(usize, u64)> {
        (self.first_bin..).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0).collect()
    }
}

/// Encodes runs of empty bins, which are most of a distribution's tail. Similar to `HdrHistogram`'s encoding.
fn coded(counts: &[u64]) -> Vec<i64> {
    let mut coded = Vec::new();
    for same in counts.chunk_by(|one, next| *one == 0 && *next == 0) {
        coded.push(match same {
            [0, ..] => -(same.len() as i64),
            [count, ..] => i64::try_from(*count).unwrap_or(i64::MAX),
            [] => continue,
        });
    }
    coded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use roundtrip_stats::Distribution;
    use serde_json::{Value, json};

    fn histogram(times_ns: &[u64]) -> Vec<u8> {
        Distribution::of_samples(times_ns.to_vec()).unwrap().histogram_bytes()
    }

    fn columns(runs: &[(i64, &[u64])], count_max: usize) -> Value {
        let mut heat_map = HeatMap::default();
        for (ordinal, times_ns) in runs {
            heat_map.add(*ordinal, *ordinal == 3, &histogram(times_ns)).unwrap();
        }
        serde_json::to_value(heat_map.columns(count_max)).unwrap()
    }

    #[test]
    fn runs_of_a_commit_share_a_column() {
        let columns = columns(&[(7, &[1_024, 1_024, 4_096]), (3, &[1_100]), (7, &[1_500])], 10);
        // 2^10 is the first of the eight bins of its doubling; 1,100 in the same, 1,500 in the fifth.
        let expected = json!({
            "from_ordinals": [3, 4], "to_ordinals": [3, 4], "first_bins": [80, 0],
            "counts": [[1], [2, -3, 1, -11, 1]], "lossy": [0],
        });
        assert_eq!(columns, expected);
    }

    #[test]
    fn merges_neighbours_beyond_the_maximum() {
        let runs: Vec<(i64, &[u64])> = (1..=5).map(|ordinal| (10 * ordinal, &[2_048][..])).collect();
        let columns = columns(&runs, 2);
        assert_eq!(columns["from_ordinals"], json!([10, 30]));
        assert_eq!(columns["to_ordinals"], json!([30, 20]));
        assert_eq!(columns["counts"], json!([[3], [2]]));
    }

    #[test]
    fn no_runs_make_no_columns() {
        assert_eq!(columns(&[], 10)["counts"], json!([]));
        assert!(HeatMap::default().add(1, false, b"nothing").is_err());
    }

    proptest! {
        #[test]
        fn counts_every_operation_in_its_bin(
            runs in proptest::collection::vec((1..20_i64, proptest::collection::vec(1..10_000_000_u64, 1..30)), 1..20),
            count_max in 1..30_usize,
        ) {
            let mut heat_map = HeatMap::default();
            let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
            for (ordinal, times_ns) in &runs {
                heat_map.add(*ordinal, false, &histogram(times_ns)).unwrap();
                let all = Distribution::of_samples(times_ns.clone()).unwrap();
                for (bin, count) in all.log_counts(STEPS_PER_DOUBLING) {
                    *expected.entry(bin).or_default() += count;
                }
            }
            let commits = heat_map.commit_count();
            let columns = serde_json::to_value(heat_map.columns(count_max)).unwrap();
            let counts = columns["counts"].as_array().unwrap();
            prop_assert_eq!(counts.len(), commits.min(count_max));
            let (mut first_bin, mut found) = (0_i64, BTreeMap::new());
            for (delta, counts) in columns["first_bins"].as_array().unwrap().iter().zip(counts) {
                first_bin += delta.as_i64().unwrap();
                let mut bin = u32::try_from(first_bin).unwrap();
                for count in counts.as_array().unwrap().iter().map(|count| count.as_i64().unwrap()) {
                    if count > 0 {
                        *found.entry(bin).or_default() += count.cast_unsigned();
                    }
                    bin += if count < 0 { u32::try_from(-count).unwrap() } else { 1 };
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
