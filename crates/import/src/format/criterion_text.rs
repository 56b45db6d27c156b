//! Criterion's terminal output: `name  time: [1.1020 µs 1.2627 µs 1.4320 µs]`.
//!
//! Each benchmark is a summary: an estimate of the mean, between the ends of its confidence interval. A throughput
//! (`thrpt:`) is a measure of its own. Lines on changes since the last run, which are in percent, are ignored.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::quantity::{self, Quantity};
use crate::time::{self, Scale};
use crate::{Statistic, Summary};

pub(super) const READER: Reader = Reader {
    slug: "criterion-text",
    title: "Criterion (text)",
    detect: |probe| {
        let mut results = probe.lines().filter_map(|line| Interval::of(line, "time:"));
        results.any(|(_, interval)| time::unit_ns(interval.estimate.1).is_some())
    },
    read,
};

/// Three values with their units.
struct Interval<'a> {
    low: (f64, &'a str),
    estimate: (f64, &'a str),
    high: (f64, &'a str),
}

impl<'a> Interval<'a> {
    /// Parses `before label [1 ns 2 ns 3 ns]` into the text before the label and the values.
    fn of(line: &'a str, label: &str) -> Option<(&'a str, Self)> {
        let (before, values) = line.rsplit_once(label)?;
        let values = values.trim().strip_prefix('[')?.strip_suffix(']')?;
        let mut parts = values.split_ascii_whitespace();
        let mut next = || Some((parts.next()?.parse().ok()?, parts.next()?));
        let interval = Self { low: next()?, estimate: next()?, high: next()? };
        parts.next().is_none().then_some((before.trim(), interval))
    }

    fn summary(&self, stored: impl Fn((f64, &str)) -> Result<u64, String>) -> Result<Summary, String> {
        Ok(Summary {
            low_ns: Some(stored(self.low)?),
            high_ns: Some(stored(self.high)?),
            ..Summary::new(Statistic::Mean, stored(self.estimate)?)
        })
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    // A long name has a line of its own, before its time.
    let mut line_before = "";
    let mut entry: Option<Entry> = None;
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some((before, interval)) = Interval::of(line, "time:") {
            let name = if before.is_empty() { line_before } else { before };
            let (_, unit) = interval.estimate;
            if time::unit_ns(unit).is_none() {
                collector.skip(format!("{name}: skipped; {unit} is not a unit of time"));
                entry = None;
                continue;
            }
            let named = collector.distinct(&Entry::new(name, 1_000));
            let time = |(value, unit): (f64, &str)| match time::unit_ns(unit) {
                Some(unit_ns) => Scale::per_thousand(unit_ns).time(value),
                None => Err(format!("expected a unit of time, found `{unit}`")),
            };
            let summary = interval.summary(time).map_err(|problem| place.fault(problem))?;
            collector.summary(&named, summary, &place)?;
            entry = Some(named);
        } else if let (Some(entry), Some((_, interval))) = (&entry, Interval::of(line, "thrpt:")) {
            throughput(entry, &interval, &place, collector)?;
        } else if line.contains("time:") && line.contains('[') && !line.contains('%') {
            collector.skip(format!("line {}: skipped; looks like a result but is not valid", index + 1));
        }
        line_before = line.trim();
    }
    Ok(())
}

fn throughput(
    entry: &Entry,
    interval: &Interval<'_>,
    place: &Place,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let (_, unit) = interval.estimate;
    let Some((_, quantity)) = rate(unit) else {
        collector.skip(format!("{}: skipped thrpt; `{unit}` is not a known rate", entry.name));
        return Ok(());
    };
    let stored = |(value, unit): (f64, &str)| match rate(unit) {
        Some((factor, of_value)) if of_value.measure == quantity.measure => quantity.stored(value * factor),
        _ => Err(format!("expected one unit, found `{unit}`")),
    };
    collector.summary_of(entry, &quantity, interval.summary(stored), place)
}

/// The base unit of a rate and the factor to it: `MiB/s` is 1,048,576 bytes per second.
fn rate(unit: &str) -> Option<(f64, Quantity)> {
    let of = unit.strip_suffix("/s")?;
    let (prefix, quantity) = match of.strip_suffix("elem") {
        Some(prefix) => (prefix, Quantity::rate("elem/s")),
        None => (of.strip_suffix('B')?, Quantity::byte_rate("B/s")),
    };
    Some((quantity::prefix_factor(prefix)?, quantity))
}
