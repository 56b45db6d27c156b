//! Size profiles: distributions of message sizes. Cases name a built-in one in [`crate::Case::size_profile`];
//! any other is a [`SizeHistogram`]. The suite samples from them. Their tables are here, so that both sides
//! know them and pages can show them.

mod histogram;

pub use histogram::{BUCKETS_MAX, InvalidSizes, SizeHistogram};

use std::num::ParseIntError;

/// The built-in profiles.
pub const ALL: &[SizeProfile] = &[
    SizeProfile {
        slug: "chromium-ipc",
        title: "Messages between a browser's processes",
        source: "Chromium's design document “Mach based OS X Interprocess Communication”: its histogram IPC.MessageSize",
        note: "Counted during an hour of browsing with mail, video and news, where processes send on Windows. Within a bucket, all \
               sizes are assumed equally frequent, because only the buckets were published.",
        is_counted: true,
        table: include_str!("../data/chromium-message-sizes.csv"),
    },
    SizeProfile {
        slug: "uniform-2-256",
        title: "Uniform sizes from 2 to 256 bytes",
        source: "The comparison of libipc's backends on macOS, which uses these sizes",
        note: "A rule, not a count.",
        is_counted: false,
        table: include_str!("../data/uniform-2-256.csv"),
    },
];

/// A distribution of message sizes.
#[derive(Clone, Copy, Debug)]
pub struct SizeProfile {
    /// Its name in cases.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Who published it.
    pub source: &'static str,
    /// How it was counted, and the assumption about sizes within a bucket.
    pub note: &'static str,
    /// Whether it consists of counted messages, instead of a rule.
    pub is_counted: bool,
    /// `bucket_min_bytes,count`. Each bucket ends where the next begins.
    table: &'static str,
}

/// Messages of about one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeBucket {
    /// The shortest size, in bytes.
    pub from_bytes: u64,
    /// The longest size, in bytes.
    pub to_bytes: u64,
    /// The number of messages; their weight in a rule.
    pub count: u64,
}

impl SizeProfile {
    /// The profile with this name.
    pub fn named(slug: &str) -> Option<&'static Self> {
        ALL.iter().find(|profile| profile.slug == slug)
    }

    /// The buckets with messages, by size.
    ///
    /// # Errors
    /// The invalid line.
    pub fn buckets(&self) -> Result<Vec<SizeBucket>, String> {
        parse(self.table).map_err(|error| format!("size profile {}: {error}", self.slug))
    }

    /// The profile as a histogram.
    ///
    /// # Errors
    /// The invalid line or bucket.
    pub fn sizes(&self) -> Result<SizeHistogram, String> {
        let wrong = |error: InvalidSizes| format!("size profile {}: {error}", self.slug);
        SizeHistogram::new(self.buckets()?).map_err(wrong)
    }
}

fn parse(table: &str) -> Result<Vec<SizeBucket>, String> {
    let mut rows: Vec<(u64, u64)> = Vec::new();
    for line in table.lines().skip(1) {
        let wrong = |error: ParseIntError| format!("`{line}`: {error}");
        let (min, count) =
            line.split_once(',').ok_or_else(|| format!("`{line}`: expected bucket_min_bytes,count"))?;
        rows.push((min.parse().map_err(wrong)?, count.parse().map_err(wrong)?));
    }
    let mut buckets = Vec::new();
    for (&(from_bytes, count), &(next_bytes, _)) in rows.iter().zip(rows.iter().skip(1)) {
        if next_bytes <= from_bytes {
            return Err(format!("a bucket from {next_bytes} bytes follows one from {from_bytes} bytes"));
        }
        if count > 0 {
            buckets.push(SizeBucket { from_bytes, to_bytes: next_bytes - 1, count });
        }
    }
    if buckets.is_empty() { Err("no bucket has a message".into()) } else { Ok(buckets) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_parse_and_have_unique_names() {
        for profile in ALL {
            let buckets = profile.buckets().unwrap();
            assert!(buckets.iter().all(|bucket| bucket.from_bytes <= bucket.to_bytes && bucket.count > 0));
            assert!(buckets.is_sorted_by(|one, next| one.to_bytes < next.from_bytes), "{}", profile.slug);
            assert_eq!(ALL.iter().filter(|other| other.slug == profile.slug).count(), 1);
        }
    }

    #[test]
    fn the_chromium_profile_matches_the_publication() {
        let buckets = SizeProfile::named("chromium-ipc").unwrap().buckets().unwrap();
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 37_573);
        assert_eq!(buckets[0], SizeBucket { from_bytes: 12, to_bytes: 15, count: 4_387 });
        assert_eq!(buckets.last().unwrap(), &SizeBucket { from_bytes: 12_196, to_bytes: 16_062, count: 15 });
        let below_65: u64 =
            buckets.iter().filter(|bucket| bucket.to_bytes < 65).map(|bucket| bucket.count).sum();
        assert_eq!(below_65, 33_825, "90 % are shorter than 65 bytes");
    }

    #[test]
    fn an_invalid_table_names_the_line() {
        assert_eq!(parse("h\n1;2\n").unwrap_err(), "`1;2`: expected bucket_min_bytes,count");
        assert!(parse("h\n1,x\n").unwrap_err().starts_with("`1,x`"));
        assert!(parse("h\n8,1\n4,0\n").unwrap_err().contains("follows"));
        assert_eq!(parse("h\n1,0\n2,0\n").unwrap_err(), "no bucket has a message");
    }
}
