//! Catch2's XML reporter (`-r xml`), versions 2 and 3.
//!
//! Each benchmark is a summary, because the file has no samples: the mean with its confidence interval. A name joins the
//! test case, its sections and the benchmark with ` / `. Standard deviations, outliers and assertions are left out.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, SHORT, cut, shortened};
use crate::time::Scale;
use crate::{NAME_CHARS_MAX, Statistic, Summary};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader as XmlReader, XmlVersion};

pub(super) const READER: Reader = Reader {
    slug: "catch2",
    title: "Catch2 (XML)",
    detect: |probe| {
        let text = probe.text.trim_start();
        let root =
            text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")).map_or(text, |(_, rest)| rest);
        ["<Catch ", "<Catch2TestRun "].iter().any(|name| root.trim_start().starts_with(name))
    },
    read,
};

/// The deepest nesting of elements.
const DEPTH_MAX: usize = 100;

/// An element that is open.
struct Element {
    tag: Vec<u8>,
    /// The name of a test case, a section or a benchmark.
    name: Option<String>,
}

/// An attribute of an element; `None` if it is missing or invalid.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut reader = XmlReader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut samples = None;
    let mut line = Lines { text, offset: 0, line: 1 };
    loop {
        let event = reader.read_event();
        let place = Place::line(line.at(usize::try_from(reader.buffer_position()).unwrap_or(text.len())));
        let event = event.map_err(|error| place.fault(format!("expected XML: {error}")))?;
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                match element.name().as_ref() {
                    b"Catch2TestRun" => collector.fact("tool_version", attribute(element, "catch2-version")),
                    b"BenchmarkResults" => {
                        samples = attribute(element, "samples").and_then(|samples| samples.parse().ok());
                    }
                    b"mean" if is_in_benchmark(&open) => {
                        let entry = collector.distinct(&Entry::new(name(&open), 1_000));
                        collector.summary(
                            &entry,
                            Summary { count: samples, ..summary(element, &place)? },
                            &place,
                        )?;
                    }
                    b"failed" if is_in_benchmark(&open) => {
                        let reason = attribute(element, "message").unwrap_or_default();
                        collector.skip(format!("{}: failed: {}", name(&open), cut(&reason, SHORT)));
                    }
                    _ => {}
                }
                if matches!(event, Event::Start(_)) {
                    if open.len() == DEPTH_MAX {
                        return Err(place.fault(format!("expected at most {DEPTH_MAX} nested elements")));
                    }
                    let tag = element.name().as_ref().to_vec();
                    let is_named = matches!(&tag[..], b"TestCase" | b"Section" | b"BenchmarkResults");
                    // Many benchmarks share the name of a test case.
                    let name = is_named.then(|| attribute(element, "name").unwrap_or_default());
                    let name = name.map(|name| shortened(name, NAME_CHARS_MAX));
                    open.push(Element { tag, name });
                }
            }
            Event::End(_) => drop(open.pop()),
            Event::Eof => break,
            _ => {}
        }
    }
    match open.last() {
        Some(Element { tag, .. }) => {
            let end = String::from_utf8_lossy(tag);
            Err(Place::line(line.line)
                .fault(format!("expected </{}>, found the end of the input", cut(&end, SHORT))))
        }
        None => Ok(()),
    }
}

fn is_in_benchmark(open: &[Element]) -> bool {
    open.last().is_some_and(|element| element.tag == b"BenchmarkResults")
}

fn name(open: &[Element]) -> String {
    open.iter().filter_map(|element| element.name.as_deref()).collect::<Vec<_>>().join(" / ")
}

/// The mean, in nanoseconds. Without an analysis, the interval has the level 0.
fn summary(mean: &BytesStart<'_>, place: &Place) -> Result<Summary, Fault> {
    let time = |name: &str| {
        let text =
            attribute(mean, name).ok_or_else(|| place.fault(format!("expected an attribute `{name}`")))?;
        let value = text.parse();
        let value =
            value.map_err(|_| place.fault(format!("expected a number in `{name}`, found `{text}`")))?;
        Scale::per_thousand(1.0).time_at(value, || place.clone())
    };
    let summary = Summary::new(Statistic::Mean, time("value")?);
    if attribute(mean, "ci").as_deref() == Some("0") {
        return Ok(summary);
    }
    Ok(Summary { low_ns: Some(time("lowerBound")?), high_ns: Some(time("upperBound")?), ..summary })
}

/// Counts lines up to an offset that only grows.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, offset: usize) -> usize {
        let end = offset.min(self.text.len());
        if let Some(more) = self.text.as_bytes().get(self.offset..end) {
            self.line += more.iter().filter(|byte| **byte == b'\n').count();
            self.offset = end;
        }
        self.line
    }
}
