//! The terminal output of Gungraun (formerly iai-callgrind): events that Valgrind counts, such as instructions.
//!
//! A run executes a benchmark once, so each count is one repetition. Comparisons with the last run, parts of a total
//! and arguments in brackets are left out. Events of a tool other than Callgrind have its name: `dhat: Total bytes`.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::quantity::Quantity;
use roundtrip_wire::Better;

pub(super) const READER: Reader = Reader {
    slug: "gungraun",
    title: "Gungraun, iai-callgrind (text)",
    detect: |probe| {
        let mut lines = probe.lines().skip_while(|line| name(line).is_none());
        lines.any(|line| Metric::parse(line).is_some())
    },
    read,
};

/// The benchmark in a line without indentation: `bench::group::function id:(arguments)`.
fn name(line: &str) -> Option<&str> {
    let name = line.split_once(":(").map_or(line, |(name, _)| name);
    (name.contains("::") && !name.starts_with([' ', '-', '='])).then(|| name.trim_end())
}

/// A line `  Instructions:   573|556   (+3.05755%)`.
struct Metric<'a> {
    name: &'a str,
    /// The count of this run.
    new: &'a str,
}

impl<'a> Metric<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '=', '#']))?;
        let (name, values) = line.split_once(':')?;
        let (counts, change) = values.trim().split_once(' ')?;
        let (new, old) = counts.split_once('|')?;
        let is_count = |count: &str| count == "N/A" || count.parse::<f64>().is_ok();
        (is_count(new) && is_count(old) && change.trim().starts_with('(')).then_some(Self { name, new })
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut entry: Option<Entry> = None;
    let mut tool = None;
    let mut is_part = false;
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some(name) = name(line) {
            (entry, tool, is_part) = (Some(Entry::new(name, 1)), None, false);
        } else if let Some(heading) = line.strip_prefix("  ======= ") {
            let name = heading.trim_matches(['=', ' ']);
            tool = (name != "CALLGRIND").then(|| name.to_lowercase());
            is_part = false;
        } else if let Some(part) = line.strip_prefix("  ## ") {
            is_part = !part.starts_with("Total");
        } else if let (Some(entry), Some(metric), false) = (&entry, Metric::parse(line), is_part) {
            let name = match &tool {
                Some(tool) => format!("{tool}: {}", metric.name),
                None => metric.name.to_owned(),
            };
            // `N/A`: only the last run had it.
            if let Ok(count) = metric.new.parse() {
                collector.value(entry, &quantity(&name), count, &place)?;
            }
        } else if !is_part && line.starts_with("  ") && line.contains('|') {
            collector.skip(format!("line {}: skipped; looks like a result but is not valid", index + 1));
        }
    }
    Ok(())
}

/// Less is better, except for rates of hits.
fn quantity(name: &str) -> Quantity {
    if name.ends_with("Hit Rate") {
        Quantity::fine(name, "%", Better::Higher)
    } else if name.ends_with("Rate") {
        Quantity::fine(name, "%", Better::Lower)
    } else if name.ends_with("bytes") {
        Quantity::bytes(name)
    } else {
        Quantity::counter(name)
    }
}
