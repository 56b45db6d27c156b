//! Rust's `#[bench]`, and Criterion's `--output-format bencher`: `test name ... bench: 1,234.56 ns/iter (+/- 7.8)`.
//!
//! The time is the median of the samples, so each benchmark is a summary. The spread in brackets is left out, because
//! it is no interval. A throughput (`= 89 MB/s`) is a measure of its own.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::quantity::Quantity;
use crate::time::{self, Scale};
use crate::{Statistic, Summary};

pub(super) const READER: Reader = Reader {
    slug: "libtest",
    title: "Rust's libtest (text)",
    detect: |probe| probe.lines().any(|line| Line::parse(line).is_some()),
    read,
};

/// A result line.
struct Line<'a> {
    name: &'a str,
    time: f64,
    unit_ns: f64,
    /// In MB/s.
    throughput: Option<f64>,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... bench:")?;
        let mut words = result.split_ascii_whitespace();
        let time = number(words.next()?)?;
        let unit_ns = time::unit_ns(words.next()?.strip_suffix("/iter")?)?;
        let throughput = match result.rsplit_once(" = ") {
            Some((_, throughput)) => Some(number(throughput.trim().strip_suffix("MB/s")?.trim())?),
            None => None,
        };
        Some(Self { name: name.trim(), time, unit_ns, throughput })
    }
}

/// A number with commas between thousands.
fn number(text: &str) -> Option<f64> {
    text.replace(',', "").parse().ok()
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some(result) = Line::parse(line) {
            let entry = collector.distinct(&Entry::new(result.name, 1_000));
            let median = Scale::per_thousand(result.unit_ns).time_at(result.time, || place.clone())?;
            collector.summary(&entry, Summary::new(Statistic::Median, median), &place)?;
            if let Some(throughput) = result.throughput {
                // libtest's megabyte has 10^6 bytes.
                let quantity = Quantity::byte_rate("MB/s");
                let value = (Statistic::Value, throughput * 1e6);
                collector.statistic(&entry, &quantity, value, &place)?;
            }
        } else if line.starts_with("test ") && line.contains(" ... bench:") {
            collector.skip(format!("line {}: skipped; looks like a result but is not valid", index + 1));
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            collector.skip(format!("failed: {}", name.trim()));
        }
    }
    Ok(())
}
