//! A distribution as a row of blocks.

use roundtrip_stats::Distribution;

/// Columns of the little histogram.
const SHAPE_WIDTH: u32 = 16;

/// The distribution from its smallest value to p99.9 on a logarithmic axis: the higher the block, the more often.
pub(super) fn shape(all: &Distribution) -> String {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (first, last) = (all.min_ns().max(1) as f64, all.quantile_ns(999_000).max(2) as f64);
    let span = (last / first).log2().max(0.05);
    let mut columns = vec![0_u64; SHAPE_WIDTH as usize];
    for (from, to, count) in all.log_bins(64).into_iter().filter(|&(from, ..)| from as f64 <= last) {
        let middle = ((from.max(1) as f64 * to.max(1) as f64).sqrt() / first).log2() / span;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and capped"
        )]
        let column = (middle * f64::from(SHAPE_WIDTH)).max(0.0) as usize;
        columns[column.min(SHAPE_WIDTH as usize - 1)] += count;
    }
    let highest = columns.iter().copied().max().unwrap_or(0).max(1);
    columns
        .into_iter()
        .map(|count| {
            // A column that is not empty shows at least the lowest block.
            let level = (count * 8).div_ceil(highest);
            BLOCKS[usize::try_from(level).unwrap_or(8).min(8)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bimodal_distribution_looks_bimodal() {
        let samples = [vec![4_000; 50], vec![40_000; 50]].concat();
        let shape = shape(&Distribution::of_samples(samples).unwrap());
        assert_eq!(shape.matches('█').count(), 2, "{shape:?}");
        assert!(shape.starts_with('█') && shape.contains("  "), "{shape:?}");
    }
}
