//! Logs of `HdrHistogram` (`.hlog`), versions 1.0 to 1.3, with histograms of V1 or V2.
//!
//! All intervals with the same tag are one repetition; intervals without a tag are called `untagged`. A value
//! counts as the highest value of its bin, as `HdrHistogram` itself reports it. A log does not state its
//! unit, so [`Options::unit`](crate::Options::unit) is required, unless the log states by which number its largest values
//! are divided: the column with the largest values is in milliseconds.

use super::Reader;
use crate::BENCHMARKS_MAX;
use crate::TimeUnit;
use crate::collect::{Collector, Entry, checked_total};
use crate::fault::{Fault, Place, cut};
use crate::format_probe::FormatProbe;
use crate::hdr::{self, Bin};
use crate::time::HIGHEST_NS;
use roundtrip_stats::distribution::Recorder;
use std::collections::HashMap;

pub(super) const READER: Reader =
    Reader { slug: "hdr-log", title: "HdrHistogram log (.hlog)", detect: is_hdr_log, read };

/// Whether a file is a log, of times or of anything else.
pub(crate) fn is_hdr_log(probe: &FormatProbe<'_>) -> bool {
    let begins = |line: &str| line.starts_with("#[Histogram log format version");
    probe.lines().any(|line| {
        begins(line) || Interval::parse(line).is_some_and(|interval| interval.has_known_encoding())
    })
}

/// A line with a histogram: `Tag=name,start,length,largest,histogram`. The tag is optional.
pub(crate) struct Interval<'a> {
    pub(crate) tag: Option<&'a str>,
    fields: [&'a str; 3],
    pub(crate) histogram: &'a str,
}

impl<'a> Interval<'a> {
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let (tag, rest) = match line.strip_prefix("Tag=") {
            Some(tagged) => tagged.split_once(',').map(|(tag, rest)| (Some(tag), rest))?,
            None => (None, line),
        };
        let mut fields = rest.splitn(4, ',').map(str::trim);
        let numbers = [fields.next()?, fields.next()?, fields.next()?];
        Some(Self { tag, fields: numbers, histogram: fields.next()? })
    }

    /// Recognised by the base64 prefixes of the encodings.
    fn has_known_encoding(&self) -> bool {
        self.histogram.starts_with("HIST") && self.fields.iter().all(|field| field.parse::<f64>().is_ok())
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let unit = collector.unit().or_else(|| stated_unit(text)).ok_or_else(|| {
        Place::default().fault("a log does not state its unit: pass --unit ns, us, ms or s")
    })?;
    let unit_ns = unit.nanoseconds();
    let mut tags: Vec<Tag<'_>> = Vec::new();
    let mut indices: HashMap<Option<&str>, usize> = HashMap::new();
    let mut inflater = hdr::Inflater::new(text.len());
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some(comment) = line.strip_prefix('#') {
            fact(comment, collector);
            continue;
        }
        if line.trim().is_empty() || is_header(line) {
            continue;
        }
        let interval = Interval::parse(line)
            .ok_or_else(|| place.fault("expected an interval: start, length, largest value, histogram"))?;
        check_numbers(&interval, &place)?;
        let mut found = Extent::default();
        inflater.bins(interval.histogram, &place, |bin| found.add(bin, unit_ns))?;
        let at = match indices.get(&interval.tag) {
            Some(&at) => at,
            None if tags.len() == crate::collect::HISTOGRAMS_MAX.min(BENCHMARKS_MAX) => {
                return Err(place.fault(format!("expected at most {} tags", tags.len())));
            }
            None => {
                indices.insert(interval.tag, tags.len());
                tags.push(Tag { name: interval.tag, count: 0, histograms: Vec::new() });
                tags.len() - 1
            }
        };
        let tag = &mut tags[at];
        tag.count = checked_total([found.count, tag.count], &place)?;
        tag.histograms.push(interval.histogram);
        if let Some(high) = found.too_high {
            return Err(place.fault(format!("expected values of at most 10^15 ns, found {high} {unit}")));
        }
    }
    // One tag after the other: adding up all at the same time would take a hundred times the memory of the log.
    let mut inflater = hdr::Inflater::new(text.len());
    for Tag { name, histograms, .. } in tags {
        let mut recorder = Recorder::default();
        for histogram in histograms {
            inflater.bins(histogram, &Place::default(), |bin| {
                recorder.record(bin.high.saturating_mul(unit_ns), bin.count);
            })?;
        }
        let entry = collector.distinct(&Entry::new(name.unwrap_or("untagged"), 1));
        collector.recorded(&entry, recorder, &Place::default())?;
    }
    Ok(())
}

/// The intervals with the same tag.
struct Tag<'a> {
    name: Option<&'a str>,
    /// The number of values.
    count: u64,
    histograms: Vec<&'a str>,
}

/// What is checked of a histogram.
#[derive(Default)]
struct Extent {
    /// The number of values.
    count: u64,
    /// The first value that is too high.
    too_high: Option<u64>,
}

impl Extent {
    fn add(&mut self, Bin { high, count, .. }: Bin, unit_ns: u64) {
        self.count = self.count.saturating_add(count);
        if high as f64 * unit_ns as f64 > HIGHEST_NS {
            self.too_high.get_or_insert(high);
        }
    }
}

pub(crate) fn is_header(line: &str) -> bool {
    line.starts_with("\"StartTimestamp\"")
}

fn check_numbers(interval: &Interval<'_>, place: &Place) -> Result<(), Fault> {
    for (field, name) in interval.fields.iter().zip(["start", "length", "largest value"]) {
        if !field.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(place.fault(format!("expected a number for {name}, found `{}`", cut(field, 40))));
        }
    }
    Ok(())
}

/// The unit by the number that divides values to get milliseconds.
fn stated_unit(text: &str) -> Option<TimeUnit> {
    let mut comments = text.lines().filter_map(|line| line.strip_prefix('#'));
    let divisor: f64 = comments.find_map(|comment| bracketed(comment, "MaxValueDivisor:"))?.parse().ok()?;
    let is_stated = |unit: &TimeUnit| unit.nanoseconds() as f64 * divisor == 1e6;
    TimeUnit::ALL.into_iter().find(is_stated)
}

/// The rest of a comment of the form `[prefix rest]`.
fn bracketed<'a>(comment: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = comment.strip_prefix('[')?.strip_prefix(prefix)?;
    Some(rest.trim().trim_end_matches(']'))
}

fn fact(comment: &str, collector: &mut Collector) {
    collector.fact("log_version", bracketed(comment, "Histogram log format version"));
    collector.fact("date", bracketed(comment, "StartTime:"));
}
