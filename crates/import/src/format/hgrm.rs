//! Percentiles of `HdrHistogram` (`.hgrm`): value, percentile, count of values up to it.
//!
//! They are a summary: a line does not list the values below it. Java and C write the values in any unit, without
//! naming it. vegeta names it in the header, `Value(ms)`.

use super::Reader;
use crate::Summary;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, cut};
use crate::json;
use crate::time::{self, Scale};

pub(super) const READER: Reader = Reader {
    slug: "hgrm",
    title: "HdrHistogram percentiles (.hgrm)",
    detect: |probe| probe.lines().find(|line| is_content(line)).is_some_and(|line| unit(line).is_some()),
    read,
};

/// Whether a line is not a comment, such as `#[Mean = 1.5, StdDeviation = 0.5]`.
fn is_content(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}

/// The unit in a header, empty if it has none; `None` for another line.
fn unit(header: &str) -> Option<&str> {
    let mut columns = header.split_ascii_whitespace();
    let unit = columns.next()?.strip_prefix("Value")?;
    let unit = if unit.is_empty() { unit } else { unit.strip_prefix('(')?.strip_suffix(')')? };
    columns.eq(["Percentile", "TotalCount", "1/(1-Percentile)"]).then_some(unit)
}

/// The nanoseconds of the unit that the header states, otherwise of the user's.
fn unit_ns(header: &str, collector: &mut Collector) -> Option<f64> {
    let stated = time::unit_ns(unit(header)?);
    stated.or_else(|| collector.unit().map(|unit| unit.nanoseconds() as f64))
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| is_content(line));
    let Some((index, header)) = lines.next().filter(|(_, line)| unit(line).is_some()) else {
        return Err(
            Place::line(1).fault("expected the columns Value, Percentile, TotalCount, 1/(1-Percentile)")
        );
    };
    let place = Place::line(index + 1);
    let Some(unit_ns) = unit_ns(header, collector) else {
        return Err(place.fault("the file states no known unit of its values: pass --unit ns, us, ms or s"));
    };
    let (mut min, mut max, mut count) = (None, None, None);
    let mut quantiles: Vec<(u32, u64)> = Vec::new();
    for (index, line) in lines {
        let place = Place::line(index + 1);
        let mut fields = line.split_ascii_whitespace();
        let mut number = |name: &str| {
            let field = fields.next().unwrap_or_default();
            let expected =
                || place.fault(format!("expected a number for {name}, found `{}`", cut(field, 40)));
            field.parse::<f64>().map_err(|_| expected())
        };
        let value = Scale::per_one(unit_ns).time_at(number("Value")?, || place.clone())?;
        let percentile = number("Percentile")?;
        let total = number("TotalCount")?;
        let ppm = time::ppm_of_percent(percentile * 100.0)
            .ok_or_else(|| place.fault(format!("expected a percentile of 0 to 1, found {percentile:?}")))?;
        min = min.or((ppm == 0).then_some(value));
        if percentile >= 1.0 {
            max = max.or(Some(value));
            count = (total >= 1.0).then_some(total).and_then(json::whole);
        }
        if quantiles.last().is_some_and(|&(last, _)| last > ppm) {
            return Err(place.fault("expected ascending percentiles"));
        }
        quantiles.push((ppm, value));
    }
    quantiles.retain(|&(ppm, _)| (1..1_000_000).contains(&ppm));
    let Some(summary) = Summary::from_quantiles_or_mean(quantiles, None) else {
        return Err(place.fault("expected a line with the percentile 0.5"));
    };
    if max.is_none() {
        collector.warn("the file ends before the percentile 1");
    }
    let summary = Summary { min_ns: min, max_ns: max, count, ..summary };
    collector.summary(&Entry::new("latency", 1), summary, &place)
}
