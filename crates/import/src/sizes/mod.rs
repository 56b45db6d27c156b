//! Size profiles: histograms of message sizes in several formats, one file each.
//!
//! A size is a whole number of bytes. Buckets stay as in the file, unless there are more than
//! [`BUCKETS_MAX`]: then neighbours are merged, with a warning.
//!
//! To add a format, write a file that provides a `Reader`, add a line to `FORMATS`, and add files to
//! `tests/golden-sizes/`.
//!
//! ```
//! let import = roundtrip_import::sizes::read(b"bytes,count\n64,3\n12,7\n", None).unwrap();
//! assert_eq!(import.format.slug(), "sizes-csv");
//! assert_eq!(import.sizes.to_string(), "12:7,64:3");
//! ```

use crate::VALUES_MAX;
use crate::fault::{Fault, LONG, Place, cut};
use crate::format::listed;
use crate::format_probe::FormatProbe;
use roundtrip_wire::size_profile::{BUCKETS_MAX, InvalidSizes, SizeBucket, SizeHistogram};

mod csv;
mod hdr;
mod histogram_set;
mod uma_json;

/// A size profile read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeImport {
    /// The format of the file.
    pub format: SizeFormat,
    /// The number of messages by size.
    pub sizes: SizeHistogram,
    /// Changes and doubts, in sentences for people.
    pub warnings: Vec<String>,
}

/// Reads a size profile in the given format, or in the format detected from its content.
///
/// # Errors
/// [`Error`]: no format matches, or the file does not conform to the format.
pub fn read(bytes: &[u8], format: Option<SizeFormat>) -> Result<SizeImport, Error> {
    let text = crate::format::decode_text(bytes)?;
    let format = match format {
        Some(format) => format,
        None => SizeFormat::detect_text(text).ok_or(Error::NotRecognised)?,
    };
    format.read(text).map_err(|Fault { place, problem }| Error::Invalid { format, place, problem })
}

listed!(SizeFormat, Counted, Error);

/// In alphabetical order of slugs.
const FORMATS: &[SizeFormat] = &[
    SizeFormat(&csv::BUCKETS),
    SizeFormat(&hdr::READER),
    SizeFormat(&histogram_set::READER),
    SizeFormat(&csv::SIZES),
    SizeFormat(&uma_json::READER),
];

/// A format of files with message sizes.
///
/// ```
/// use roundtrip_import::sizes::SizeFormat;
/// let format: SizeFormat = "uma-json".parse().unwrap();
/// assert_eq!(format.title(), "Chromium UMA histogram (JSON)");
/// assert!("excel".parse::<SizeFormat>().is_err());
/// ```
#[derive(Clone, Copy)]
pub struct SizeFormat(&'static Reader);

impl SizeFormat {
    fn read(self, text: &str) -> Result<SizeImport, Fault> {
        let mut counted = Counted::default();
        (self.0.read)(text, &mut counted)?;
        let (sizes, warnings) = counted.finish()?;
        Ok(SizeImport { format: self, sizes, warnings })
    }

    fn detect_text(text: &str) -> Option<Self> {
        let probe = FormatProbe::new(text);
        FORMATS.iter().copied().find(|format| (format.0.detect)(&probe))
    }
}

/// Some of the names for a message, and the number of the others.
fn names(names: impl IntoIterator<Item = String>) -> String {
    const NAMED_MAX: usize = 3;
    let names: Vec<String> = names.into_iter().collect();
    let named = names[..names.len().min(NAMED_MAX)].join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

// [`Counted`]: receives buckets from a format and enforces the limits.

#[derive(Debug, Default)]
struct Counted {
    /// Buckets with messages, in ascending order.
    buckets: Vec<SizeBucket>,
    last: Option<SizeBucket>,
    stated_count: Option<f64>,
    warnings: Vec<String>,
}

impl Counted {
    /// Adds the next bucket in order of size. It may be empty.
    fn add(&mut self, bucket: SizeBucket, place: &Place) -> Result<(), Fault> {
        check_bucket(self.last, bucket, place)?;
        if self.buckets.len() == VALUES_MAX {
            return Err(place.fault(format!("expected at most {VALUES_MAX} buckets or different sizes")));
        }
        self.last = Some(bucket);
        self.buckets.extend(Some(bucket).filter(|bucket| bucket.count > 0));
        Ok(())
    }

    /// Notes the total number of messages that the file states next to the buckets.
    fn state_count(&mut self, count: Option<f64>) {
        self.stated_count = count;
    }

    fn warn(&mut self, warning: &str) {
        self.warnings.push(cut(warning, LONG));
    }

    fn finish(mut self) -> Result<(SizeHistogram, Vec<String>), Fault> {
        let found = self.buckets.len();
        let buckets = fewer(&self.buckets, BUCKETS_MAX);
        if buckets.len() < found {
            let widest = buckets.iter().map(width).fold(0.0, f64::max);
            self.warn(&format!(
                "merged {found} buckets or sizes into {} (the maximum is {BUCKETS_MAX}); the widest spans \
                 {:.2} %",
                buckets.len(),
                widest * 100.0
            ));
        }
        let sizes = SizeHistogram::new(buckets).map_err(|invalid| {
            Place::default().fault(match invalid {
                InvalidSizes::Empty => "expected at least one message, found none".into(),
                invalid => invalid.to_string(),
            })
        })?;
        if let Some(stated) = self.stated_count.filter(|&stated| stated != sizes.count() as f64) {
            self.warn(&format!(
                "the file states {stated} messages, but its buckets contain {}",
                sizes.count()
            ));
        }
        Ok((sizes, self.warnings))
    }
}

/// Checks that a bucket is valid and follows the one before. The rules are those of [`SizeHistogram`].
fn check_bucket(before: Option<SizeBucket>, bucket: SizeBucket, place: &Place) -> Result<(), Fault> {
    match SizeHistogram::new(before.into_iter().chain([bucket]).collect()) {
        Ok(_) | Err(InvalidSizes::Empty) => Ok(()),
        Err(invalid) => Err(place.fault(invalid.to_string())),
    }
}

/// The width of a bucket, relative to its shortest message.
fn width(bucket: &SizeBucket) -> f64 {
    (bucket.to_bytes - bucket.from_bytes) as f64 / bucket.from_bytes.max(1) as f64
}

/// Why a file is not a valid size profile. Messages have a bounded length for any input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file is too large or not text.
    #[error(transparent)]
    File(#[from] crate::Error),
    /// The content matches no format with certainty.
    #[error("unknown format: expected message sizes in one of {}", SizeFormat::list())]
    NotRecognised,
    /// No format has this name.
    #[error("unknown size format `{slug}`: expected one of {}", SizeFormat::list())]
    UnknownFormat {
        /// The beginning of the given name.
        slug: String,
    },
    /// The content does not conform to its format.
    #[error("{format}: {place}{}{problem}", if place.is_known() { ": " } else { "" })]
    Invalid {
        /// The format used to read it.
        format: SizeFormat,
        /// The place of the error.
        place: Place,
        /// The expectation and the finding.
        problem: String,
    },
}

// Reduces the number of buckets, with the best possible precision.

/// Merges neighbours until there are at most `most` buckets. Fewer buckets stay unchanged.
///
/// Like `HdrHistogram`, it splits every doubling of size into equal steps: 1,024, or the next lower power of
/// two that suffices. Buckets that begin in the same step become one, from the first byte of the first to the
/// last byte of the last. 16 steps per doubling always suffice for 1,000 buckets and keep sizes apart that
/// differ in one of their first two digits; 1 step suffices for 50.
pub fn fewer(buckets: &[SizeBucket], most: usize) -> Vec<SizeBucket> {
    const STEP_BITS_MAX: u32 = 10;
    if buckets.len() <= most {
        return buckets.to_vec();
    }
    // Count before allocating.
    let fits =
        |&bits: &u32| buckets.chunk_by(|one, next| step(one, bits) == step(next, bits)).count() <= most;
    in_steps(buckets, (0..=STEP_BITS_MAX).rev().find(fits).unwrap_or(0))
}

/// Merges neighbours that begin in the same one of `2^bits` equal steps of a doubling. The longest message of
/// a merged bucket of single sizes is at most a `2^bits`-th longer than its shortest.
pub fn in_steps(buckets: &[SizeBucket], bits: u32) -> Vec<SizeBucket> {
    buckets.chunk_by(|one, next| step(one, bits) == step(next, bits)).filter_map(together).collect()
}

fn step(bucket: &SizeBucket, bits: u32) -> (u32, u64) {
    let shift = bucket.from_bytes.checked_ilog2().unwrap_or(0).saturating_sub(bits);
    (shift, bucket.from_bytes >> shift)
}

fn together(buckets: &[SizeBucket]) -> Option<SizeBucket> {
    let (first, last) = (buckets.first()?, buckets.last()?);
    let count = buckets.iter().fold(0_u64, |sum, bucket| sum.saturating_add(bucket.count));
    Some(SizeBucket { from_bytes: first.from_bytes, to_bytes: last.to_bytes, count })
}

// Lines of CSV with names and whole numbers only. Spreadsheets separate them by commas, semicolons or tabs, and may quote
// them.

fn csv_lines(text: &str) -> impl Iterator<Item = (Place, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index, line.trim()));
    lines.filter(|(_, line)| !line.is_empty()).map(|(index, line)| (Place::line(index + 1), line))
}

/// Whether a line is this header.
fn is_header(line: &str, columns: &[&str]) -> bool {
    csv_fields(line).eq(columns.iter().copied())
}

fn csv_fields(line: &str) -> impl Iterator<Item = &str> {
    let separator = line.find([',', ';', '\t']).map_or(",", |at| &line[at..=at]);
    line.split(separator).map(|field| {
        let field = field.trim();
        field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).map_or(field, str::trim)
    })
}

/// Parses one whole number per column.
fn csv_numbers<const N: usize>(line: &str, columns: [&str; N], place: &Place) -> Result<[u64; N], Fault> {
    let found = csv_fields(line).count();
    if found != N {
        return Err(place.fault(format!("expected {N} fields, {}, found {found}", columns.join(", "))));
    }
    let mut numbers = [0; N];
    for ((number, column), field) in numbers.iter_mut().zip(columns).zip(csv_fields(line)) {
        *number = whole_number(field).map_err(|problem| place.with_member(column).fault(problem))?;
    }
    Ok(numbers)
}

fn whole_number(field: &str) -> Result<u64, String> {
    let found = cut(field, 40);
    if field.is_empty() || !field.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("expected a whole number of 0 or more, found `{found}`"));
    }
    field.parse().map_err(|_| format!("expected a 64-bit number, found `{found}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_formats_in_order_and_finds_them_by_slug() {
        assert!(FORMATS.is_sorted_by_key(|format| format.slug()));
        for &format in FORMATS {
            assert_eq!(format.slug().parse(), Ok(format));
        }
        assert_eq!(
            "Excel\u{7}".parse::<SizeFormat>().unwrap_err().to_string(),
            "unknown size format `Excel `: expected one of buckets-csv, hdr, histogram-set, sizes-csv, uma-json"
        );
    }

    fn ones(sizes: impl IntoIterator<Item = u64>) -> Vec<SizeBucket> {
        sizes.into_iter().map(|bytes| SizeBucket { from_bytes: bytes, to_bytes: bytes, count: 1 }).collect()
    }

    #[test]
    fn keeps_few_buckets_unchanged() {
        let buckets = ones([0, 1, 7, 1 << 40]);
        assert_eq!(fewer(&buckets, 4), buckets);
    }

    #[test]
    fn merges_many_sizes_without_losing_messages() {
        let buckets = fewer(&ones(0..100_000), 1_000);
        assert!((500..=1_000).contains(&buckets.len()), "{}", buckets.len());
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 100_000);
        assert_eq!((buckets[0].from_bytes, buckets.last().unwrap().to_bytes), (0, 99_999));
        let is_narrow = |bucket: &SizeBucket| (bucket.to_bytes - bucket.from_bytes) * 64 <= bucket.from_bytes;
        assert!(buckets.iter().all(is_narrow));
    }

    #[test]
    fn keeps_two_digits_in_1_000_buckets_and_the_magnitude_in_50() {
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
    fn ends_merged_buckets_at_their_sizes() {
        let buckets = fewer(&ones([1_000, 1_003, 9_000]), 2);
        assert_eq!(buckets[0], SizeBucket { from_bytes: 1_000, to_bytes: 1_003, count: 2 });
        assert_eq!(buckets[1], SizeBucket { from_bytes: 9_000, to_bytes: 9_000, count: 1 });
    }
}
