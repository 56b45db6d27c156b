//! The formats: one file each, and one list; what is read of a file ([`Import`]), and why it is not ([`Error`]).
//!
//! To add one: a file that offers a `Reader`, a line in `FORMATS`, real files in `tests/golden/`.

mod bmf;
mod criterion;
mod go;
mod google_benchmark;
pub(crate) mod hdr_log;
pub(crate) mod histogram_set;
mod hyperfine;
mod jmh;
mod k6;
mod node;
mod pytest_benchmark;

use crate::INPUT_BYTES_MAX;
use crate::collect::{Collected, Collector};
use crate::fault::{Fault, Place};
use crate::format_probe::FormatProbe;
use crate::model::Benchmark;
use std::collections::BTreeMap;

/// Makes `Reader`, what every format of a list `FORMATS` offers, and what follows for the format's type, `$Format(&'static
/// Reader)`: its names, that it is known by them, and `$Error::UnknownFormat` where it is not. `$Taker` takes over what is read.
macro_rules! listed {
    ($Format:ident, $Taker:ty, $Error:ident) => {
        /// What every format offers.
        pub(crate) struct Reader {
            /// Its name in commands and addresses.
            slug: &'static str,
            /// Its name for people: the tool, and which of its files.
            title: &'static str,
            /// Whether a file is of this format: certain rather than hopeful, and no file is of two. A file that is cut is
            /// still recognised by its beginning.
            detect: fn(&$crate::format_probe::FormatProbe<'_>) -> bool,
            /// Hands over what a file says.
            read: fn(&str, &mut $Taker) -> Result<(), $crate::fault::Fault>,
        }

        impl $Format {
            /// All formats, in alphabetical order.
            pub fn all() -> &'static [Self] {
                FORMATS
            }

            /// Its name in commands and addresses.
            pub fn slug(self) -> &'static str {
                self.0.slug
            }

            /// Its name for people.
            pub fn title(self) -> &'static str {
                self.0.title
            }

            /// Whether a file is of this format, by its beginning.
            pub fn detect(self, bytes: &[u8]) -> bool {
                $crate::format::text_of(bytes)
                    .is_ok_and(|text| (self.0.detect)(&$crate::format_probe::FormatProbe::new(text)))
            }

            /// All slugs, for messages.
            pub(crate) fn list() -> String {
                FORMATS.iter().map(|format| format.slug()).collect::<Vec<_>>().join(", ")
            }
        }

        impl std::str::FromStr for $Format {
            type Err = $Error;

            fn from_str(slug: &str) -> Result<Self, $Error> {
                let known = FORMATS.iter().find(|format| format.slug() == slug);
                known.copied().ok_or_else(|| $Error::UnknownFormat {
                    slug: $crate::fault::cut(slug, $crate::fault::SHORT),
                })
            }
        }

        impl std::fmt::Display for $Format {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.slug())
            }
        }

        impl std::fmt::Debug for $Format {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "{}({})", stringify!($Format), self.slug())
            }
        }

        impl PartialEq for $Format {
            fn eq(&self, other: &Self) -> bool {
                self.slug() == other.slug()
            }
        }

        impl Eq for $Format {}
    };
}

pub(crate) use listed;

listed!(Format, Collector, Error);

/// In alphabetical order of slugs.
const FORMATS: &[Format] = &[
    Format(&bmf::READER),
    Format(&criterion::READER),
    Format(&go::READER),
    Format(&google_benchmark::READER),
    Format(&hdr_log::READER),
    Format(&histogram_set::READER),
    Format(&hyperfine::READER),
    Format(&jmh::READER),
    Format(&k6::READER),
    Format(&node::READER),
    Format(&pytest_benchmark::READER),
];

/// A format of result files.
///
/// ```
/// use roundtrip_import::Format;
/// let format: Format = "google-benchmark".parse().unwrap();
/// assert_eq!(format.title(), "Google Benchmark (JSON)");
/// assert!("excel".parse::<Format>().is_err());
/// ```
#[derive(Clone, Copy)]
pub struct Format(&'static Reader);

impl Format {
    /// Reads a file of this format.
    ///
    /// # Errors
    /// [`Error`]: the file is not what the format asks for.
    pub fn parse(self, bytes: &[u8]) -> Result<Import, Error> {
        self.read(text_of(bytes)?)
    }

    pub(crate) fn read(self, text: &str) -> Result<Import, Error> {
        let mut collector = Collector::default();
        let invalid = |Fault { place, problem }| Error::Invalid { format: self, place, problem };
        (self.0.read)(text, &mut collector).map_err(invalid)?;
        let Collected { benchmarks, facts, warnings } = collector.finish();
        if benchmarks.is_empty() {
            let why = warnings.iter().take(3).map(|warning| format!("; {warning}")).collect();
            return Err(Error::Nothing { format: self, why });
        }
        Ok(Import { format: self, benchmarks, facts, warnings })
    }

    /// The one format that a text is of.
    pub(crate) fn of_text(text: &str) -> Result<Self, Error> {
        let probe = FormatProbe::new(text);
        let detected: Vec<_> = FORMATS.iter().copied().filter(|format| (format.0.detect)(&probe)).collect();
        match detected[..] {
            [] => Err(Error::NotRecognised),
            [format] => Ok(format),
            _ => Err(Error::Ambiguous { formats: detected }),
        }
    }
}

/// All that is taken from one file.
#[derive(Clone, Debug)]
pub struct Import {
    /// In which format it was read.
    pub format: Format,
    /// In the order of the file. A name with its variant appears once.
    pub benchmarks: Vec<Benchmark>,
    /// What the file says of machine and tool, such as `host`, `cpus`, `tool_version`, `commit`.
    pub facts: BTreeMap<String, String>,
    /// For people: what was left out and why, and what makes the figures suspect.
    pub warnings: Vec<String>,
}

/// Why a file is not imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Larger than is read.
    #[error("{bytes} bytes: expected at most {INPUT_BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Not text.
    #[error("byte {byte}: expected UTF-8 text{hint}")]
    NotText {
        /// The first byte that is none, counted from 0.
        byte: usize,
        /// What may help.
        hint: &'static str,
    },
    /// The content is of no known format.
    #[error("not recognised: expected the results of one of {}", Format::list())]
    NotRecognised,
    /// The content could be of several formats.
    #[error("could be any of {}: expected to be told which", slugs(formats))]
    Ambiguous {
        /// Which.
        formats: Vec<Format>,
    },
    /// No format has this name.
    #[error("`{slug}` is no format: expected one of {}", Format::list())]
    UnknownFormat {
        /// The beginning of what was given.
        slug: String,
    },
    /// The content is not what its format asks for.
    #[error("{format}: {place}{}{problem}", if place.is_known() { ": " } else { "" })]
    Invalid {
        /// In which format it was read.
        format: Format,
        /// Where.
        place: Place,
        /// What was expected, and what was found.
        problem: String,
    },
    /// The content is in order, but there is no time in it.
    #[error("{format}: expected at least one benchmark with a time{why}")]
    Nothing {
        /// In which format it was read.
        format: Format,
        /// What was left out.
        why: String,
    },
}

fn slugs(formats: &[Format]) -> String {
    formats.iter().map(|format| format.slug()).collect::<Vec<_>>().join(", ")
}

/// The text of a file, without a byte order mark.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, Error> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    let hint = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            " (this begins as UTF-16, which `>` writes in older PowerShell)"
        }
        [0x1f, 0x8b, ..] => " (this begins as gzip)",
        _ => "",
    };
    let text =
        std::str::from_utf8(bytes).map_err(|error| Error::NotText { byte: error.valid_up_to(), hint })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf_8_is_refused_at_its_byte() {
        assert_eq!(text_of(b"ab\xffc").unwrap_err().to_string(), "byte 2: expected UTF-8 text");
        assert_eq!(
            text_of(b"\xff\xfea\0").unwrap_err().to_string(),
            "byte 0: expected UTF-8 text (this begins as UTF-16, which `>` writes in older PowerShell)"
        );
        assert_eq!(text_of("\u{feff}a".as_bytes()).unwrap(), "a");
    }

    #[test]
    fn what_is_larger_than_is_read_is_refused() {
        let error = text_of(&vec![b' '; INPUT_BYTES_MAX + 1]).unwrap_err();
        assert_eq!(error.to_string(), "67108865 bytes: expected at most 67108864");
    }

    #[test]
    fn formats_are_listed_in_order_and_found_by_their_slugs() {
        assert!(FORMATS.is_sorted_by_key(|format| format.slug()));
        for &format in FORMATS {
            assert_eq!(format.slug().parse(), Ok(format));
        }
        assert_eq!(
            "Excel\u{7}".parse::<Format>().unwrap_err().to_string(),
            "`Excel ` is no format: expected one of bmf, criterion, go, google-benchmark, hdr-log, histogram-set, \
             hyperfine, jmh, k6, node, pytest-benchmark"
        );
    }

    #[test]
    fn what_is_of_no_format_is_said_with_what_is_known() {
        let near = [
            r#"{"a": {"b": {"value": 1, "rate": 2}}}"#,
            r#"{"a": {"b": {"lower_value": 1}}}"#,
            r#"{"metrics": {"vus": {"value": 1, "min": 1, "max": 1}}}"#,
            r#"{"context": {"host_name": "lab-1"}, "benchmarks": []}"#,
            r#"{"reason": "compiler-artifact", "target": {}}"#,
            r#"[{"benchmark": "a", "mode": "avgt"}]"#,
            "BenchmarkA some 5 ns/op",
            "0,1,1,HELLO",
        ];
        for text in
            ["", "{}", "[]", "[1, 2]", "hello", "a,b\n1,2", "{\"benchmarks\": []}"].into_iter().chain(near)
        {
            let error = crate::import(text.as_bytes(), None).unwrap_err();
            assert_eq!(
                error.to_string(),
                "not recognised: expected the results of one of bmf, criterion, go, google-benchmark, hdr-log, \
                 histogram-set, hyperfine, jmh, k6, node, pytest-benchmark",
                "{text}"
            );
        }
    }
}
