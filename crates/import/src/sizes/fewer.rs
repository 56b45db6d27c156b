//! Fewer buckets, as precise as their number allows.

use roundtrip_wire::size_profile::SizeBucket;

/// Puts neighbours together until there are at most `most` buckets; those that are few enough stay as they are.
///
/// Every doubling of size is parted into equal steps, 1,024 or the next lower power of two that suffices, as
/// `HdrHistogram` does it, and those buckets become one that begin in the same step. It then reaches from the first
/// byte of the first to the last byte of the last. 16 steps a doubling, with which sizes that differ in one of their
/// two first digits stay apart, always suffice for 1,000 buckets; 1 step for 50.
pub fn fewer(buckets: &[SizeBucket], most: usize) -> Vec<SizeBucket> {
    const STEP_BITS_MAX: u32 = 10;
    if buckets.len() <= most {
        return buckets.to_vec();
    }
    // Counted before anything is made.
    let fits =
        |&bits: &u32| buckets.chunk_by(|one, next| step(one, bits) == step(next, bits)).count() <= most;
    in_steps(buckets, (0..=STEP_BITS_MAX).rev().find(fits).unwrap_or(0))
}

/// Puts those neighbours together that begin in the same one of `2^bits` equal steps of a doubling, so that the longest message
/// of a bucket of single sizes is at most by a `2^bits`-th longer than its shortest.
pub fn in_steps(buckets: &[SizeBucket], bits: u32) -> Vec<SizeBucket> {
    buckets.chunk_by(|one, next| step(one, bits) == step(next, bits)).filter_map(together).collect()
}

/// In which step a bucket begins, of `2^bits` a doubling.
fn step(bucket: &SizeBucket, bits: u32) -> (u32, u64) {
    let shift = bucket.from_bytes.checked_ilog2().unwrap_or(0).saturating_sub(bits);
    (shift, bucket.from_bytes >> shift)
}

fn together(buckets: &[SizeBucket]) -> Option<SizeBucket> {
    let (first, last) = (buckets.first()?, buckets.last()?);
    let count = buckets.iter().fold(0_u64, |sum, bucket| sum.saturating_add(bucket.count));
    Some(SizeBucket { from_bytes: first.from_bytes, to_bytes: last.to_bytes, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ones(sizes: impl IntoIterator<Item = u64>) -> Vec<SizeBucket> {
        sizes.into_iter().map(|bytes| SizeBucket { from_bytes: bytes, to_bytes: bytes, count: 1 }).collect()
    }

    #[test]
    fn few_buckets_stay_as_they_are() {
        let buckets = ones([0, 1, 7, 1 << 40]);
        assert_eq!(fewer(&buckets, 4), buckets);
    }

    #[test]
    fn many_sizes_become_as_many_buckets_as_there_may_be_and_keep_their_messages() {
        let buckets = fewer(&ones(0..100_000), 1_000);
        assert!((500..=1_000).contains(&buckets.len()), "{}", buckets.len());
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 100_000);
        assert_eq!((buckets[0].from_bytes, buckets.last().unwrap().to_bytes), (0, 99_999));
        let is_narrow = |bucket: &SizeBucket| (bucket.to_bytes - bucket.from_bytes) * 64 <= bucket.from_bytes;
        assert!(buckets.iter().all(is_narrow));
    }

    #[test]
    fn sizes_of_the_whole_range_keep_two_digits_in_1_000_buckets_and_their_magnitude_in_50() {
        let all: Vec<u64> =
            (0..40).flat_map(|bits| (0..64).map(move |step| (1 << bits) + (step << bits) / 64)).collect();
        let mut sizes = all;
        sizes.dedup();
        let sizes = ones(sizes);
        let buckets = fewer(&sizes, 1_000);
        assert!(buckets.len() <= 1_000 && buckets.len() < sizes.len());
        let is_narrow = |bucket: &SizeBucket| (bucket.to_bytes - bucket.from_bytes) * 16 <= bucket.from_bytes;
        assert!(buckets.iter().all(is_narrow));
        assert!(fewer(&sizes, 50).len() <= 50);
    }

    #[test]
    fn a_bucket_reaches_no_further_than_its_sizes() {
        let buckets = fewer(&ones([1_000, 1_003, 9_000]), 2);
        assert_eq!(buckets[0], SizeBucket { from_bytes: 1_000, to_bytes: 1_003, count: 2 });
        assert_eq!(buckets[1], SizeBucket { from_bytes: 9_000, to_bytes: 9_000, count: 1 });
    }
}
