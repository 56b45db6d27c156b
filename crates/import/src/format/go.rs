//! `go test -bench`: text, as benchstat reads it.
//!
//! Each result line is one repetition (`-count`) with one value, its `ns/op`. A name begins with its package
//! if the file states it, because several packages may have a benchmark with the same name. Other units
//! (`MB/s`, `B/op`, those of `ReportMetric`) are measures of their own.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, SHORT, cut};
use crate::quantity::Quantity;
use crate::time::Scale;
use roundtrip_wire::Better;
use std::str::SplitAsciiWhitespace;

pub(super) const READER: Reader = Reader {
    slug: "go",
    title: "go test -bench (text)",
    detect: |probe| probe.lines().any(|line| Line::parse(line).is_some()),
    read,
};

/// A result line: a name, the number of iterations, and pairs of value and unit.
struct Line<'a> {
    name: &'a str,
    fields: SplitAsciiWhitespace<'a>,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next().filter(|_| line.starts_with("Benchmark"))?;
        fields.next()?.parse::<u64>().ok()?;
        let line = Self { name, fields };
        let is_whole = line.fields.clone().count().is_multiple_of(2);
        // Units are words: a number here means that the pairs are shifted.
        let are_pairs =
            line.pairs().all(|(value, unit)| value.parse::<f64>().is_ok() && unit.parse::<f64>().is_err());
        (line.pairs().next().is_some() && is_whole && are_pairs).then_some(line)
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut fields = self.fields.clone();
        std::iter::from_fn(move || Some((fields.next()?, fields.next()?)))
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut package = None;
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some(result) = Line::parse(line) {
            let name = match package {
                Some(package) => format!("{package}.{}", result.name),
                None => result.name.to_owned(),
            };
            let entry = Entry::new(name, 1_000);
            for (value, unit) in result.pairs() {
                // `Line::parse` has checked it.
                let value = value.parse().unwrap_or(f64::NAN);
                match unit {
                    "ns/op" => {
                        let time = Scale::per_thousand(1.0).time_at(value, || place.clone())?;
                        collector.samples(&entry, vec![time], &place)?;
                    }
                    // Go's megabyte has 10^6 bytes.
                    "MB/s" => collector.value(&entry, &Quantity::byte_rate(unit), value * 1e6, &place)?,
                    "B/op" => collector.value(&entry, &Quantity::bytes(unit), value, &place)?,
                    "allocs/op" => collector.value(&entry, &Quantity::count(unit), value, &place)?,
                    _ => collector.value(&entry, &of_metric(unit), value, &place)?,
                }
            }
        } else if let Some((key, value)) = line.split_once(": ") {
            match key {
                "pkg" => package = Some(value.trim()),
                "goos" => collector.fact("os", Some(value)),
                "goarch" => collector.fact("architecture", Some(value)),
                "cpu" => collector.fact("cpu", Some(value)),
                "commit" => collector.fact("commit", Some(value)),
                "toolchain" => collector.fact("tool_version", Some(value)),
                _ if key.starts_with("--- FAIL") => {
                    collector.warn(format!("failed: {}", cut(value, SHORT)));
                }
                _ => {}
            }
        } else if begins_as_result(line) {
            collector.warn(format!("line {}: skipped; looks like a result but is not valid", index + 1));
        } else if line == "FAIL" || line.starts_with("FAIL\t") {
            collector.warn("the file contains FAIL: a test or benchmark failed");
        }
    }
    Ok(())
}

/// The quantity of a unit of `ReportMetric`. Go states no direction: of rates, more is better, of the rest less.
fn of_metric(unit: &str) -> Quantity {
    let better = if unit.ends_with("/s") { Better::Higher } else { Better::Lower };
    Quantity::fine(unit, unit, better)
}

/// A truncated result line, or one into which the benchmark printed.
fn begins_as_result(line: &str) -> bool {
    let mut fields = line.split_ascii_whitespace();
    let is_name = fields.next().is_some_and(|name| name.starts_with("Benchmark"));
    is_name && fields.next().is_some_and(|count| count.parse::<u64>().is_ok())
}
