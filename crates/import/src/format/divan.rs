//! Divan's terminal output: a tree of benchmarks with columns for the fastest and slowest sample, the median and the
//! mean.
//!
//! Each benchmark is a summary: its median, the extreme samples and their number. Rows below it state measures, also as
//! medians: throughput, and allocations with their bytes. A name joins the tree's names with `::`, beginning with the
//! benchmark program. The numbers have four digits.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::quantity::{self, Quantity};
use crate::time::{self, Scale};
use crate::{Statistic, Summary};
use roundtrip_wire::Better;

pub(super) const READER: Reader = Reader {
    slug: "divan",
    title: "Divan (text)",
    detect: |probe| probe.lines().any(|line| header(line).is_some()),
    read,
};

/// The name of the benchmark program in the header of a table, and the width of the tree.
fn header(line: &str) -> Option<(&str, usize)> {
    let (root, _) = line.split_once("fastest")?;
    let mut titles = line[root.len()..].split('│').map(str::trim);
    let is_header = ["fastest", "slowest", "median", "mean"].iter().all(|title| titles.next() == Some(title));
    (is_header && !root.trim().is_empty()).then(|| (root.trim(), root.chars().count()))
}

/// A row: the part in the tree, and the columns.
struct Row<'a> {
    /// The depth in the tree and the name; `None` for more figures of the same benchmark.
    node: Option<(usize, &'a str)>,
    fastest: &'a str,
    slowest: &'a str,
    median: &'a str,
    samples: &'a str,
}

impl<'a> Row<'a> {
    fn parse(line: &'a str, tree_width: usize) -> Option<Self> {
        let (end, _) = line.char_indices().nth(tree_width)?;
        let (tree, columns) = line.split_at(end);
        let mut columns = columns.split('│').map(str::trim);
        let fastest = columns.next()?;
        let (slowest, median, _mean, samples) =
            (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
        let node =
            tree.split_once("─ ").map(|(before, name)| (before.chars().count().div_ceil(3), name.trim()));
        Some(Self { node, fastest, slowest, median, samples })
    }

    /// The summary of the columns, in which the smallest value is the fastest, or the slowest for rates.
    fn summary(&self, stored: impl Fn(&str) -> Result<u64, String>) -> Result<Summary, String> {
        let (fastest, slowest) = (stored(self.fastest)?, stored(self.slowest)?);
        Ok(Summary {
            min_ns: Some(fastest.min(slowest)),
            max_ns: Some(fastest.max(slowest)),
            count: self.samples.parse().ok(),
            ..Summary::new(Statistic::Median, stored(self.median)?)
        })
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut path: Vec<&str> = Vec::new();
    let mut tree_width = None;
    let mut entry: Option<Entry> = None;
    // Allocations: `alloc:`, followed by a row of counts and a row of bytes.
    let mut allocations: Option<(&str, bool)> = None;
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some((root, width)) = header(line) {
            (path, tree_width, entry) = (vec![root], Some(width), None);
            continue;
        }
        let Some(width) = tree_width else { continue };
        let Some(row) = Row::parse(line, width) else {
            if line.contains(['│', '├', '╰']) {
                collector.skip(format!("line {}: skipped; looks like a result but is not valid", index + 1));
            }
            continue;
        };
        if let Some((depth, name)) = row.node {
            path.truncate(depth);
            path.push(name);
            (entry, allocations) = (None, None);
            if row.median.is_empty() {
                continue;
            }
            let named = Entry::new(path.join("::"), 1_000);
            let summary = row.summary(time).map_err(|problem| place.fault(problem))?;
            collector.summary(&named, summary, &place)?;
            entry = Some(named);
        } else if let Some(entry) = &entry {
            if let Some(label) = row.fastest.strip_suffix(':') {
                allocations = Some((label, false));
            } else {
                measure(entry, &row, &mut allocations, &place, collector)?;
            }
        }
    }
    Ok(())
}

/// Adds the median of a row of throughput or allocations.
fn measure(
    entry: &Entry,
    row: &Row<'_>,
    allocations: &mut Option<(&str, bool)>,
    place: &Place,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let quantity = match allocations {
        Some((label, is_bytes)) if *is_bytes => Some(Quantity::bytes(&format!("{label} bytes"))),
        Some((label, is_bytes)) => {
            *is_bytes = true;
            Some(Quantity::count(&format!("{label} count")))
        }
        None => rate(row.median),
    };
    let Some(quantity) = quantity else {
        collector.skip(format!("{}: skipped `{}`: not a known rate", entry.name, row.median));
        return Ok(());
    };
    let stored = |text: &str| quantity.stored(value(text)?);
    // The fastest sample does not have the fewest allocations.
    let summary = match allocations {
        Some(_) => stored(row.median).map(|median| Summary::new(Statistic::Median, median)),
        None => row.summary(stored),
    };
    collector.summary_of(entry, &quantity, summary, place)
}

/// A number with its unit; a count has none.
fn split(text: &str) -> Result<(f64, &str), String> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number = number.parse().map_err(|_| format!("expected a number with a unit, found `{text}`"))?;
    Ok((number, unit.trim()))
}

fn time(text: &str) -> Result<u64, String> {
    let (value, unit) = split(text)?;
    let unit_ns = time::unit_ns(unit).ok_or_else(|| format!("expected a unit of time, found `{text}`"))?;
    Scale::per_thousand(unit_ns).time(value)
}

/// The units of sizes and rates, without their prefix.
const UNITS: [&str; 5] = ["B/s", "char/s", "item/s", "Hz", "B"];

/// A number in the unit without prefix: `1.2 KB` is 1,200.
fn value(text: &str) -> Result<f64, String> {
    let (value, unit) = split(text)?;
    let prefix = UNITS.iter().find_map(|known| unit.strip_suffix(known)).unwrap_or(unit);
    let factor =
        quantity::prefix_factor(prefix).ok_or_else(|| format!("expected a known unit, found `{text}`"))?;
    Ok(value * factor)
}

/// The quantity of a throughput, by the unit of a value.
fn rate(text: &str) -> Option<Quantity> {
    let unit = UNITS.iter().find(|unit| text.ends_with(**unit))?;
    match *unit {
        "B/s" => Some(Quantity::byte_rate(unit)),
        "char/s" | "item/s" => Some(Quantity::rate(unit)),
        "Hz" => Some(Quantity::new(unit, unit, Better::Higher)),
        _ => None,
    }
}
