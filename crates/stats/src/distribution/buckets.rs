//! [`Buckets`]: the non-zero counts of an HDR histogram.
//!
//! A dense histogram of our range and precision has 27,389 counts, of which a repetition fills a few hundred. A server
//! reads a hundred thousand histograms per second and has no time to clear and scan them, so only non-zero counts are
//! kept.

use super::HIGHEST_NS;

/// Below this, every value has its own bucket: the smallest power of two that is at least 2 * 10^digits.
const UNIT_BUCKETS: u64 = 2_048;
/// The number of buckets in each doubling above.
const STEPS: u64 = UNIT_BUCKETS / 2;
const STEP_BITS: u32 = STEPS.ilog2();

/// Counts by bucket, ascending and non-zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Buckets {
    counts: Vec<(u32, u64)>,
    total: u64,
}

/// Returns the bucket of a value; the last one also counts all values above [`HIGHEST_NS`].
#[expect(clippy::cast_possible_truncation, reason = "buckets are fewer than 2^15")]
pub(super) const fn bucket_of(value: u64) -> u32 {
    let value = if value < HIGHEST_NS { value } else { HIGHEST_NS };
    let doublings = (value | (UNIT_BUCKETS - 1)).ilog2() - STEP_BITS;
    ((doublings as u64) * STEPS + (value >> doublings)) as u32
}

/// Returns the smallest and the largest value of a bucket.
pub(super) const fn bounds(bucket: u32) -> (u64, u64) {
    let bucket = bucket as u64;
    let doublings = (bucket / STEPS).saturating_sub(1);
    let low = (bucket - doublings * STEPS) << doublings;
    (low, low + (1 << doublings) - 1)
}

impl Buckets {
    /// Returns an empty histogram with room for this many counts.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { counts: Vec::with_capacity(capacity), total: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn of_sorted(values: &[u64]) -> Self {
        let mut buckets = Self::default();
        for same in values.chunk_by(|one, next| one == next) {
            buckets.push(bucket_of(same[0]), same.len() as u64);
        }
        buckets
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn push(&mut self, bucket: u32, count: u64) {
        match self.counts.last_mut() {
            Some((last, seen)) if *last == bucket => *seen = seen.saturating_add(count),
            _ => self.counts.push((bucket, count)),
        }
        self.total = self.total.saturating_add(count);
    }

    /// Adds a bucket that is after the last one.
    pub(super) fn push_next(&mut self, bucket: u32, count: u64) {
        self.counts.push((bucket, count));
        self.total = self.total.saturating_add(count);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.counts.iter().copied()
    }

    pub(super) fn first(&self) -> Option<u32> {
        Some(self.counts.first()?.0)
    }

    pub(super) fn last(&self) -> Option<u32> {
        Some(self.counts.last()?.0)
    }

    /// Returns the buckets with the values of these ascending ranks, counted from 1, and the number of values before
    /// each.
    pub(super) fn at_ranks(
        &self,
        ranks: impl IntoIterator<Item = u64>,
    ) -> impl Iterator<Item = Option<(u32, u64)>> {
        let mut rest = self.counts.iter().copied().peekable();
        let mut before = 0_u64;
        ranks.into_iter().map(move |rank| {
            while let Some((_, count)) = rest.next_if(|&(_, count)| before.saturating_add(count) < rank) {
                before = before.saturating_add(count);
            }
            rest.peek().map(|&(bucket, _)| (bucket, before))
        })
    }

    /// Adds up several histograms. The sum is built as a dense array between the outermost buckets: indexing is faster
    /// than searching for the next bucket.
    pub(super) fn merged(parts: &[Self]) -> Self {
        const WORD_BITS: usize = u64::BITS as usize;
        let first = parts.iter().filter_map(Self::first).min().unwrap_or(0);
        let last = parts.iter().filter_map(Self::last).max().unwrap_or(0);
        let width = (last - first) as usize + 1;
        let mut dense = vec![0_u64; width];
        // Few counts are filled: one bit for each shows which.
        let mut filled = vec![0_u64; width.div_ceil(WORD_BITS)];
        for (bucket, count) in parts.iter().flat_map(Self::iter) {
            let at = (bucket - first) as usize;
            dense[at] = dense[at].saturating_add(count);
            filled[at / WORD_BITS] |= 1 << (at % WORD_BITS);
        }
        let len = filled.iter().map(|word| word.count_ones() as usize).sum();
        let mut counts = Vec::with_capacity(len);
        for (word, mut bits) in (0_u32..).zip(filled) {
            while bits != 0 {
                let at = word * u64::BITS + bits.trailing_zeros();
                counts.push((first + at, dense[at as usize]));
                bits &= bits - 1;
            }
        }
        let total = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.total));
        Self { counts, total }
    }
}
