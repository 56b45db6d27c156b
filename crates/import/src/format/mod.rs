//! The list of formats, one file each; the imported data ([`Import`]) and the reasons for a rejection
//! ([`Error`]).
//!
//! To add a format, write a file that provides a `Reader`, add a line to `FORMATS`, and add real files to
//! `tests/golden/`.

mod asv;
mod benchmark_action;
mod benchmark_dotnet;
mod benchmark_js;
mod bmf;
mod catch2;
mod criterion;
mod criterion_dir;
mod criterion_text;
mod divan;
mod fio;
mod go;
mod google_benchmark;
mod gungraun;
pub(crate) mod hdr_log;
mod hgrm;
pub(crate) mod histogram_set;
mod hyperfine;
mod iperf3;
mod jmh;
mod k6;
mod k6_json;
mod k6_summary;
mod libtest;
mod nanobench;
mod netperf;
mod node;
mod oha;
mod perf_stat;
mod pytest_benchmark;
mod sockperf;
mod tinybench;
mod vitest;
mod wrk;

pub(crate) use go::GOMAXPROCS;

use crate::collect::{Collected, Collector};
use crate::fault::{Fault, Place};
use crate::format_probe::FormatProbe;
use crate::model::Benchmark;
use crate::{INPUT_BYTES_MAX, Options, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Defines `Reader`, the interface of every format in a list `FORMATS`, and the methods of the format's type,
/// `$Format(&'static Reader)`: its names, and parsing them with `$Error::UnknownFormat` for unknown ones.
/// `$Sink` receives the values.
macro_rules! listed {
    ($Format:ident, $Sink:ty, $Error:ident) => {
        /// The interface of a format.
        pub(crate) struct Reader {
            /// Its name in commands and URLs.
            slug: &'static str,
            /// Its name for people: the tool and the kind of file.
            title: &'static str,
            /// Detects the format. A file matches at most one format, and a truncated file matches by its
            /// beginning. Returns false in doubt.
            detect: fn(&$crate::format_probe::FormatProbe<'_>) -> bool,
            /// Passes the contents of a file to the sink.
            read: fn(&str, &mut $Sink) -> Result<(), $crate::fault::Fault>,
        }

        impl $Format {
            /// All formats, in alphabetical order.
            pub fn all() -> &'static [Self] {
                FORMATS
            }

            /// Its name in commands and URLs.
            pub fn slug(self) -> &'static str {
                self.0.slug
            }

            /// Its name for people.
            pub fn title(self) -> &'static str {
                self.0.title
            }

            /// Whether the beginning of a file is in this format.
            pub fn detect(self, bytes: &[u8]) -> bool {
                $crate::format::decode_text(bytes)
                    .is_ok_and(|text| (self.0.detect)(&$crate::format_probe::FormatProbe::new(text)))
            }

            /// All slugs, separated by commas, for messages.
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
    Format(&asv::READER),
    Format(&benchmark_action::READER),
    Format(&benchmark_dotnet::READER),
    Format(&benchmark_js::READER),
    Format(&bmf::READER),
    Format(&catch2::READER),
    Format(&criterion::READER),
    Format(&criterion_dir::READER),
    Format(&criterion_text::READER),
    Format(&divan::READER),
    Format(&fio::READER),
    Format(&go::READER),
    Format(&google_benchmark::READER),
    Format(&gungraun::READER),
    Format(&hdr_log::READER),
    Format(&hgrm::READER),
    Format(&histogram_set::READER),
    Format(&hyperfine::READER),
    Format(&iperf3::READER),
    Format(&jmh::READER),
    Format(&k6::READER),
    Format(&k6_json::READER),
    Format(&k6_summary::READER),
    Format(&libtest::READER),
    Format(&nanobench::READER),
    Format(&netperf::READER),
    Format(&node::READER),
    Format(&oha::READER),
    Format(&perf_stat::READER),
    Format(&pytest_benchmark::READER),
    Format(&sockperf::READER),
    Format(&tinybench::READER),
    Format(&vitest::READER),
    Format(&wrk::READER),
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
    /// Reads a file in this format.
    ///
    /// # Errors
    /// [`Error`]: the file does not conform to the format.
    pub fn parse(self, bytes: &[u8]) -> Result<Import, Error> {
        self.read(&decode_results(bytes)?, &Options::default())
    }

    pub(crate) fn read(self, text: &str, options: &Options) -> Result<Import, Error> {
        let mut collector = Collector::new(text.len(), options);
        let invalid = |Fault { place, problem }| Error::Invalid { format: self, place, problem };
        (self.0.read)(text, &mut collector).map_err(invalid)?;
        let Collected { benchmarks, facts, warnings, skipped } = collector.finish().map_err(invalid)?;
        if benchmarks.is_empty() {
            let why = warnings.iter().take(3).map(|warning| format!("; {warning}")).collect();
            return Err(Error::Nothing { format: self, why });
        }
        Ok(Import { format: self, benchmarks, facts, warnings, skipped })
    }

    /// The only format that matches a text.
    pub(crate) fn detect_text(text: &str) -> Result<Self, Error> {
        let probe = FormatProbe::new(text);
        let detected: Vec<_> = FORMATS.iter().copied().filter(|format| (format.0.detect)(&probe)).collect();
        match detected[..] {
            [] => Err(Error::NotRecognised),
            [format] => Ok(format),
            _ => Err(Error::Ambiguous { formats: detected }),
        }
    }
}

/// The imported contents of one file.
#[derive(Clone, Debug)]
pub struct Import {
    /// The format of the file.
    pub format: Format,
    /// The benchmarks, in the order of the file. Each name, variant and measure occurs once.
    pub benchmarks: Vec<Benchmark>,
    /// Facts about the machine and tool, such as `host`, `cpus`, `tool_version`, `commit`.
    pub facts: BTreeMap<String, String>,
    /// Messages for the user: what was skipped and why, and problems with the values.
    pub warnings: Vec<String>,
    /// The number of things in the file that were not imported. A warning names each, up to a limit.
    pub skipped: u64,
}

/// Why a file is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file is larger than [`INPUT_BYTES_MAX`].
    #[error("{bytes} bytes: expected at most {INPUT_BYTES_MAX}. Split the file.")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The file is not text.
    #[error("byte {byte}: expected UTF-8 text{hint}")]
    NotText {
        /// The offset of the first invalid byte, from 0.
        byte: usize,
        /// A possible remedy.
        hint: &'static str,
    },
    /// The content matches no format.
    #[error("unknown format: expected results of one of {}", Format::list())]
    NotRecognised,
    /// The content matches several formats.
    #[error("ambiguous format, could be any of {}. Pass --from.", slugs(formats))]
    Ambiguous {
        /// These formats.
        formats: Vec<Format>,
    },
    /// No format has this name.
    #[error("unknown format `{slug}`: expected one of {}", Format::list())]
    UnknownFormat {
        /// The beginning of the given name.
        slug: String,
    },
    /// The content does not conform to its format.
    #[error("{format}: {place}{}{problem}", if place.is_known() { ": " } else { "" })]
    Invalid {
        /// The format used to read it.
        format: Format,
        /// Where.
        place: Place,
        /// The expectation and the finding.
        problem: String,
    },
    /// An archive of several files is not valid.
    #[error("tar archive: {problem}")]
    Archive {
        /// The expectation and the finding.
        problem: String,
    },
    /// A file of an archive is rejected.
    #[error("{name}: {error}")]
    InFile {
        /// Its path in the archive.
        name: String,
        /// Why.
        error: Box<Self>,
    },
    /// Files of different tools cannot be one run.
    #[error("expected files of one tool, found {} and {}. Import the files of each tool separately.", formats[0], formats[1])]
    Mixed {
        /// The formats of two of them.
        formats: [Format; 2],
    },
    /// Files of Go with different numbers of processors have equal names.
    #[error("expected files with one GOMAXPROCS, found {} and {}. Import them separately.", numbers[0], numbers[1])]
    Processors {
        /// The numbers of two of them.
        numbers: [String; 2],
    },
    /// Several files together exceed a limit of one file.
    #[error("{count} {what} in all files of the run: expected at most {max}. Import fewer files at a time.")]
    TooMany {
        /// The limited things.
        what: &'static str,
        /// Their number.
        count: usize,
        /// The limit.
        max: usize,
    },
    /// The content is valid, but contains no results.
    #[error("{format}: expected at least one result{why}")]
    Nothing {
        /// The format used to read it.
        format: Format,
        /// The omissions.
        why: String,
    },
}

fn slugs(formats: &[Format]) -> String {
    formats.iter().map(|format| format.slug()).collect::<Vec<_>>().join(", ")
}

/// The text of a file of results. In JSON, bare `NaN` and infinities are texts, so that only the fields that need a number
/// reject them.
pub(crate) fn decode_results(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    decode_text(bytes).map(json::quote_not_numbers)
}

/// The text of a file, without a byte order mark.
pub(crate) fn decode_text(bytes: &[u8]) -> Result<&str, Error> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    let hint = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            " (this looks like UTF-16, which `>` writes in older PowerShell)"
        }
        [0x1f, 0x8b, ..] => " (this looks like gzip)",
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
    fn rejects_invalid_utf_8_with_its_offset() {
        assert_eq!(decode_text(b"ab\xffc").unwrap_err().to_string(), "byte 2: expected UTF-8 text");
        assert_eq!(
            decode_text(b"\xff\xfea\0").unwrap_err().to_string(),
            "byte 0: expected UTF-8 text (this looks like UTF-16, which `>` writes in older PowerShell)"
        );
        assert_eq!(decode_text("\u{feff}a".as_bytes()).unwrap(), "a");
    }

    #[test]
    fn rejects_large_files() {
        let error = decode_text(&vec![b' '; INPUT_BYTES_MAX + 1]).unwrap_err();
        assert_eq!(error.to_string(), "67108865 bytes: expected at most 67108864. Split the file.");
    }

    #[test]
    fn lists_formats_in_order_and_finds_them_by_slug() {
        assert!(FORMATS.is_sorted_by_key(|format| format.slug()));
        for &format in FORMATS {
            assert_eq!(format.slug().parse(), Ok(format));
        }
        assert_eq!(
            "Excel\u{7}".parse::<Format>().unwrap_err().to_string(),
            "unknown format `Excel `: expected one of asv, benchmark-action, benchmark-dotnet, benchmark-js, bmf, catch2, criterion, criterion-dir, criterion-text, divan, fio, go, google-benchmark, gungraun, hdr-log, hgrm, histogram-set, hyperfine, iperf3, jmh, k6, k6-json, k6-summary, libtest, nanobench, netperf, node, oha, perf-stat, pytest-benchmark, sockperf, tinybench, vitest, wrk"
        );
    }

    #[test]
    fn lists_known_formats_for_unrecognised_files() {
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
            let error = crate::import(text.as_bytes(), None, &Options::default()).unwrap_err();
            assert_eq!(
                error.to_string(),
                "unknown format: expected results of one of asv, benchmark-action, benchmark-dotnet, benchmark-js, bmf, catch2, criterion, criterion-dir, criterion-text, divan, fio, go, google-benchmark, gungraun, hdr-log, hgrm, histogram-set, hyperfine, iperf3, jmh, k6, k6-json, k6-summary, libtest, nanobench, netperf, node, oha, perf-stat, pytest-benchmark, sockperf, tinybench, vitest, wrk",
                "{text}"
            );
        }
    }
}
