//! Size profiles: how many messages of which size somebody has counted, in the form in which they have it. One file a
//! format, and one list.
//!
//! A size is a whole number of bytes. Buckets stay as the file has them; only where there are more than
//! [`BUCKETS_MAX`](roundtrip_wire::size_profile::BUCKETS_MAX) are neighbours put together, and a warning says so.
//!
//! - `counted`: checks buckets while they are handed over.  `fewer`: puts neighbours together.  `rows`: lines of CSV.
//!
//! To add a format: a file that offers a `Reader`, a line in `FORMATS`, files in `tests/golden-sizes/`, a fuzz target.
//!
//! ```
//! let import = roundtrip_import::sizes::read(b"bytes,count\n64,3\n12,7\n", None).unwrap();
//! assert_eq!(import.format.slug(), "sizes-csv");
//! assert_eq!(import.sizes.to_string(), "12:7,64:3");
//! ```

mod buckets_csv;
mod counted;
mod error;
mod fewer;
mod hdr;
mod histogram_set;
mod rows;
mod sizes_csv;
mod uma_json;

pub use error::Error;
pub use fewer::{fewer, in_steps};

use crate::error::Fault;
use crate::glance::Glance;
use crate::listed::listed;
use crate::text;
use counted::Counted;
use roundtrip_wire::size_profile::SizeHistogram;

/// What a file says of message sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeImport {
    /// The format it was read in.
    pub format: SizeFormat,
    /// How many messages of which size.
    pub sizes: SizeHistogram,
    /// What is not as the file has it, or not as it should be, in sentences for people.
    pub warnings: Vec<String>,
}

/// Reads a size profile in the given format, or in the one that its content shows.
///
/// # Errors
/// [`Error`]: no format is recognised, or the file is not what its format asks for.
pub fn read(bytes: &[u8], format: Option<SizeFormat>) -> Result<SizeImport, Error> {
    let text = text::of_bytes(bytes)?;
    let format = match format {
        Some(format) => format,
        None => SizeFormat::of_text(text).ok_or(Error::NotRecognised)?,
    };
    format.read(text).map_err(|Fault { place, problem }| Error::Invalid { format, place, problem })
}

listed!(SizeFormat, Counted, Error);

/// In alphabetical order of slugs.
const FORMATS: &[SizeFormat] = &[
    SizeFormat(&buckets_csv::READER),
    SizeFormat(&hdr::READER),
    SizeFormat(&histogram_set::READER),
    SizeFormat(&sizes_csv::READER),
    SizeFormat(&uma_json::READER),
];

/// A format of files with message sizes.
///
/// ```
/// use roundtrip_import::sizes::SizeFormat;
/// let format: SizeFormat = "uma-json".parse().unwrap();
/// assert_eq!(format.title(), "a histogram of Chromium's UMA (JSON)");
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

    fn of_text(text: &str) -> Option<Self> {
        let glance = Glance::new(text);
        FORMATS.iter().copied().find(|format| (format.0.detect)(&glance))
    }
}

/// Names for a message: some of them, and how many more there are.
fn names(names: impl IntoIterator<Item = String>) -> String {
    const NAMED_MAX: usize = 3;
    let names: Vec<String> = names.into_iter().collect();
    let named = names[..names.len().min(NAMED_MAX)].join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_listed_in_order_and_found_by_their_slugs() {
        assert!(FORMATS.is_sorted_by_key(|format| format.slug()));
        for &format in FORMATS {
            assert_eq!(format.slug().parse(), Ok(format));
        }
        assert_eq!(
            "Excel\u{7}".parse::<SizeFormat>().unwrap_err().to_string(),
            "`Excel ` is no format of sizes: expected one of buckets-csv, hdr, histogram-set, sizes-csv, uma-json"
        );
    }
}
