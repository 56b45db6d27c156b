//! From sizes that were counted to a profile.

use roundtrip_import::sizes::in_steps;
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// So many sizes stand as they are; of more, neighbours are put together. About 2 kB of text, which fits in an address.
const EXACT_MAX: usize = 200;
/// Into eight steps of a doubling, so that a bucket's sizes differ by an eighth at most.
const STEP_BITS: u32 = 3;

/// A profile of sizes and how often each was counted; none of none.
pub(crate) fn profile(counts: &BTreeMap<u64, u64>) -> Option<SizeHistogram> {
    let one = |(&bytes, &count): (&u64, &u64)| SizeBucket { from_bytes: bytes, to_bytes: bytes, count };
    let exact: Vec<SizeBucket> = counts.iter().map(one).collect();
    let buckets = if exact.len() <= EXACT_MAX { exact } else { in_steps(&exact, STEP_BITS) };
    SizeHistogram::new(buckets).ok()
}

/// As a file, with a header.
pub(crate) fn csv(sizes: &SizeHistogram) -> String {
    let mut text = String::from("from_bytes,to_bytes,count\n");
    for SizeBucket { from_bytes, to_bytes, count } in sizes.buckets() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{from_bytes},{to_bytes},{count}");
    }
    text
}

/// The smallest size with at least this share of all messages at or below the end of its bucket.
pub(crate) fn quantile_bytes(sizes: &SizeHistogram, share: f64) -> u64 {
    let mut below = 0;
    let enough = |below: u64| below as f64 >= share * sizes.count() as f64;
    let bucket = sizes.buckets().iter().find(|bucket| {
        below += bucket.count;
        enough(below)
    });
    bucket.map_or_else(|| sizes.max_bytes(), |bucket| bucket.to_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sizes_stand_as_they_are_and_of_many_neighbours_are_put_together() {
        let few = BTreeMap::from([(12, 3), (13, 1), (4_096, 2)]);
        assert_eq!(profile(&few).unwrap().to_string(), "12:3,13:1,4096:2");
        assert_eq!(profile(&BTreeMap::new()), None);

        let many: BTreeMap<u64, u64> = (1..=100_000).map(|bytes| (bytes, 1)).collect();
        let sizes = profile(&many).unwrap();
        assert_eq!((sizes.count(), sizes.min_bytes(), sizes.max_bytes()), (100_000, 1, 100_000));
        assert!(sizes.buckets().len() < EXACT_MAX && sizes.to_string().len() < 3_000, "{sizes}");
        for bucket in sizes.buckets() {
            let width = bucket.to_bytes - bucket.from_bytes;
            assert!(width * 8 <= bucket.from_bytes, "{bucket:?} is wider than an eighth");
        }
    }

    #[test]
    fn a_file_has_a_line_a_bucket_and_a_quantile_is_of_the_messages() {
        let sizes: SizeHistogram = "12-15:6,64:3,100:1".parse().unwrap();
        assert_eq!(csv(&sizes), "from_bytes,to_bytes,count\n12,15,6\n64,64,3\n100,100,1\n");
        assert_eq!([0.5, 0.9, 0.99].map(|share| quantile_bytes(&sizes, share)), [15, 64, 100]);
    }
}
