//! The formats: one file each, and one list.
//!
//! To add one: a file that offers a `Reader`, a line in `FORMATS`, real files in `tests/golden/`, a fuzz target.

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

use crate::collect::Collector;
use crate::error::Error;
use crate::glance::Glance;
use crate::listed::listed;
use crate::{Import, text};

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
        self.read(text::of_bytes(bytes)?)
    }

    pub(crate) fn read(self, text: &str) -> Result<Import, Error> {
        let mut collector = Collector::default();
        (self.0.read)(text, &mut collector).map_err(|fault| fault.in_format(self))?;
        collector.finish(self)
    }

    /// The one format that a text is of.
    pub(crate) fn of_text(text: &str) -> Result<Self, Error> {
        let glance = Glance::new(text);
        let detected: Vec<_> = FORMATS.iter().copied().filter(|format| (format.0.detect)(&glance)).collect();
        match detected[..] {
            [] => Err(Error::NotRecognised),
            [format] => Ok(format),
            _ => Err(Error::Ambiguous { formats: detected }),
        }
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
