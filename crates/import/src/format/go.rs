//! `go test -bench`: text, as benchstat reads it, or the events of `go test -json`.
//!
//! Each result line is one repetition (`-count`) with one value, its `ns/op`. A name begins with its package
//! if the file states it, because several packages may have a benchmark with the same name. Other units
//! (`MB/s`, `B/op`, those of `ReportMetric`) are measures of their own.
//!
//! Go prints a name before the benchmark runs, and its result afterwards, so the output of a benchmark is between them.
//! The suffix `-8` of names is the number of processors (`GOMAXPROCS`). If all names of the file end with the same number,
//! it is a fact and not part of the names: a series continues on a machine with another number.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, SHORT, cut};
use crate::json;
use crate::quantity::Quantity;
use crate::time::Scale;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The fact with the number of processors that the names of a file end with.
pub(crate) const GOMAXPROCS: &str = "gomaxprocs";

pub(super) const READER: Reader = Reader {
    slug: "go",
    title: "go test -bench (text or -json)",
    detect: |probe| {
        let event = probe.outline();
        event.has("Action") && (event.has("Package") || event.has("ImportPath"))
            || probe.lines().any(|line| line.starts_with("goos: ") || result_of_words(line).is_some())
    },
    read,
};

/// An event of `go test -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Event<'a> {
    #[serde(default, borrow)]
    package: Cow<'a, str>,
    #[serde(default, borrow)]
    output: Cow<'a, str>,
}

type Pairs<'a> = Vec<(&'a str, &'a str)>;

/// The result at the end of a line: the text before the number of iterations, and the pairs of value and unit. Go separates
/// them by tabs.
fn result_of(line: &str) -> Option<(&str, Pairs<'_>)> {
    // From the last tab backwards, as long as pairs follow.
    let mut pairs = Vec::new();
    let mut rest = line;
    loop {
        let (before, field) = rest.rsplit_once('\t')?;
        let mut words = field.split_ascii_whitespace();
        let pair = (words.next()?, words.next()?);
        if words.next().is_some() || !is_pair(pair) {
            return None;
        }
        pairs.push(pair);
        let head = before.trim_end_matches(|char: char| char.is_ascii_digit());
        let is_count = head.len() < before.len() && (head.is_empty() || head.ends_with([' ', '\t']));
        if is_count {
            pairs.reverse();
            return Some((head, pairs));
        }
        rest = before;
    }
}

/// The name and the pairs of a line that has only a name, iterations and pairs. Copies of Go's output may have blanks
/// instead of tabs.
fn result_of_words(line: &str) -> Option<(&str, Pairs<'_>)> {
    let name = first_name(line)?;
    let mut words = line[name.len()..].split_ascii_whitespace();
    words.next()?.parse::<u64>().ok()?;
    let mut pairs = Vec::new();
    while let Some(value) = words.next() {
        pairs.push((value, words.next()?));
    }
    (!pairs.is_empty() && pairs.iter().copied().all(is_pair)).then_some((name, pairs))
}

/// Units are words: a number here means that the pairs are shifted.
fn is_pair((value, unit): (&str, &str)) -> bool {
    value.parse::<f64>().is_ok() && unit.parse::<f64>().is_err()
}

/// The name of a benchmark at the end of a word, after output without a line break. Go accepts no lower-case letter after
/// `Benchmark`.
fn name_in(word: &str) -> Option<&str> {
    const PREFIX: &str = "Benchmark";
    let is_name = |name: &&str| !name[PREFIX.len()..].starts_with(|char: char| char.is_ascii_lowercase());
    word.match_indices(PREFIX).map(|(at, _)| &word[at..]).find(is_name)
}

/// The name with which a line begins.
fn first_name(line: &str) -> Option<&str> {
    let word = line.split([' ', '\t']).next()?;
    name_in(word).filter(|name| name.len() == word.len())
}

/// The name that Go printed in a text. A tab follows it, after blanks that align the results.
fn printed_name(text: &str) -> Option<&str> {
    let (before, _) = text.rsplit_once('\t')?;
    before.rsplit('\t').find_map(|part| name_in(part.trim_end_matches(' ').rsplit(' ').next()?))
}

/// What a reader of the lines finds.
enum Found<'a> {
    Result {
        package: Option<&'a str>,
        name: &'a str,
        pairs: Vec<(&'a str, &'a str)>,
    },
    Fact(&'static str, &'a str),
    /// Something without a result.
    Skipped(String),
}

/// The state of a package whose lines are read. The lines of several packages may be mixed.
#[derive(Default)]
struct Package {
    name: Option<String>,
    /// The beginning of a line.
    unfinished: String,
    /// A name that Go printed before its benchmark, whose result has not followed yet.
    waiting: Option<String>,
    /// With `-v` and `-json`, Go announces every benchmark on a line of its own: the last one and the groups it is in, and
    /// whether they had results.
    announced: Vec<(String, bool)>,
    has_failed: bool,
}

impl Package {
    fn line(
        &mut self,
        line: &str,
        take: &mut impl FnMut(Found<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let line = line.trim_end_matches('\r');
        let result = result_of_words(line).map(|(name, pairs)| (Some(name), pairs));
        let result = result.or_else(|| result_of(line).map(|(head, pairs)| (printed_name(head), pairs)));
        if let Some((name, pairs)) = result
            && let Some(name) = name.map(str::to_owned).or_else(|| self.waiting_for(&pairs))
        {
            // The result of another benchmark ends the wait.
            self.waiting.take_if(|waiting| *waiting == name);
            self.stop_waiting(take)?;
            self.mark_announced(&name, take)?;
            return take(Found::Result { package: self.name.as_deref(), name: &name, pairs });
        }
        if let Some(name) = printed_name(line) {
            self.stop_waiting(take)?;
            self.waiting = Some(name.to_owned());
            return Ok(());
        }
        if let Some(name) = first_name(line) {
            let rest = line[name.len()..].split_ascii_whitespace().next();
            return match rest {
                None => self.announce(name, take),
                Some(count) if count.parse::<u64>().is_ok() => {
                    take(Found::Skipped(format!("{name}: skipped, the result is not valid")))
                }
                Some(_) => Ok(()),
            };
        }
        if let Some((key, value)) = line.split_once(": ") {
            match key {
                "pkg" => {
                    self.end(take)?;
                    *self = Self { name: Some(value.trim().to_owned()), ..Self::default() };
                }
                "goos" => take(Found::Fact("os", value))?,
                "goarch" => take(Found::Fact("architecture", value))?,
                "cpu" => take(Found::Fact("cpu", value))?,
                "commit" => take(Found::Fact("commit", value))?,
                "toolchain" => take(Found::Fact("tool_version", value))?,
                "panic" => take(Found::Skipped(format!("panic: {}", cut(value, SHORT))))?,
                _ if key.starts_with("--- FAIL") => {
                    take(Found::Skipped(format!("failed: {}", cut(value, SHORT))))?;
                }
                _ => {}
            }
        } else if (line == "FAIL" || line.starts_with("FAIL\t")) && !self.has_failed {
            self.has_failed = true;
            take(Found::Skipped("the file contains FAIL: a test or benchmark failed".into()))?;
        }
        Ok(())
    }

    /// The name that waits for this result. Output of the benchmark may look like a result, but has no `ns/op`.
    fn waiting_for(&mut self, pairs: &[(&str, &str)]) -> Option<String> {
        self.waiting.take_if(|_| pairs.iter().any(|(_, unit)| *unit == "ns/op"))
    }

    fn stop_waiting(&mut self, take: &mut impl FnMut(Found<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
        self.waiting.take().map_or(Ok(()), |name| take(Found::Skipped(format!("{name}: skipped, no result"))))
    }

    fn announce(
        &mut self,
        name: &str,
        take: &mut impl FnMut(Found<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let is_group = |group: &str| name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'));
        self.drop_announced(|group| is_group(group), take)?;
        self.announced.push((name.to_owned(), false));
        Ok(())
    }

    fn mark_announced(
        &mut self,
        name: &str,
        take: &mut impl FnMut(Found<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.drop_announced(|known| is_part(name, known), take)?;
        self.announced.iter_mut().for_each(|(_, has_result)| *has_result = true);
        Ok(())
    }

    /// Removes the last announced benchmarks up to one that is to be kept.
    fn drop_announced(
        &mut self,
        keep: impl Fn(&str) -> bool,
        take: &mut impl FnMut(Found<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        while let Some((name, has_result)) = self.announced.pop_if(|(name, _)| !keep(name)) {
            if !has_result {
                take(Found::Skipped(format!("{name}: skipped, no result")))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, take: &mut impl FnMut(Found<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
        if !self.unfinished.is_empty() {
            let line = std::mem::take(&mut self.unfinished);
            self.line(&line, take)?;
        }
        self.stop_waiting(take)?;
        self.drop_announced(|_| false, take)
    }
}

/// Whether a name with results is an announced benchmark or one of its group: `BenchmarkA-8` or `BenchmarkA/x-8` of
/// `BenchmarkA`.
fn is_part(name: &str, announced: &str) -> bool {
    name.strip_prefix(announced).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
}

/// Passes what a file contains, with its line.
fn scan(text: &str, mut take: impl FnMut(&Place, Found<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut packages: BTreeMap<Cow<'_, str>, Package> = BTreeMap::new();
    let mut last = Place::line(1);
    let is_json = text.trim_start().starts_with('{');
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        let take = &mut |found: Found<'_>| take(&place, found);
        if is_json && line.starts_with('{') {
            let event: Event<'_> = json::read_line(line, index)?;
            let name = (!event.package.is_empty()).then(|| event.package.clone().into_owned());
            let new = || Package { name, ..Package::default() };
            let package = packages.entry(event.package).or_insert_with(new);
            for part in event.output.split_inclusive('\n') {
                package.unfinished.push_str(part);
                if part.ends_with('\n') {
                    let line = std::mem::take(&mut package.unfinished);
                    package.line(line.trim_end_matches('\n'), take)?;
                }
            }
        } else {
            packages.entry("".into()).or_default().line(line, take)?;
        }
        last = place;
    }
    packages.into_values().try_for_each(|mut package| package.end(&mut |found| take(&last, found)))
}

/// The number of processors with which all names end.
fn processors(text: &str) -> Result<Option<String>, Fault> {
    let mut common: Option<Option<String>> = None;
    scan(text, |_, found| {
        if let Found::Result { name, .. } = found {
            let suffix = name.rsplit_once('-').map(|(_, suffix)| suffix);
            let number = suffix.filter(|suffix| suffix.parse::<u32>().is_ok_and(|number| number > 1));
            match &common {
                None => common = Some(number.map(str::to_owned)),
                Some(known) if known.as_deref() == number => {}
                Some(_) => common = Some(None),
            }
        }
        Ok(())
    })?;
    Ok(common.flatten())
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let processors = processors(text)?;
    collector.fact(GOMAXPROCS, processors.as_ref());
    let suffix = processors.map(|number| format!("-{number}")).unwrap_or_default();
    scan(text, |place, found| match found {
        Found::Result { package, name, pairs } => {
            let name = name.strip_suffix(&suffix).unwrap_or(name);
            let name = package.map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
            result(&Entry::new(name, 1_000), &pairs, place, collector)
        }
        Found::Fact(key, value) => {
            collector.fact(key, Some(value));
            Ok(())
        }
        Found::Skipped(why) => {
            collector.skip(why);
            Ok(())
        }
    })
}

fn result(
    entry: &Entry,
    pairs: &[(&str, &str)],
    place: &Place,
    collector: &mut Collector,
) -> Result<(), Fault> {
    for &(value, unit) in pairs {
        // `is_pair` has checked it.
        let value = value.parse().unwrap_or(f64::NAN);
        match unit {
            "ns/op" => {
                let time = Scale::per_thousand(1.0).time_at(value, || place.clone())?;
                collector.samples(entry, vec![time], place)?;
            }
            // Go's megabyte has 10^6 bytes.
            "MB/s" => collector.value(entry, &Quantity::byte_rate(unit), value * 1e6, place)?,
            "B/op" => collector.value(entry, &Quantity::bytes(unit), value, place)?,
            "allocs/op" => collector.value(entry, &Quantity::count(unit), value, place)?,
            _ => collector.value(entry, &Quantity::undirected(unit, unit), value, place)?,
        }
    }
    Ok(())
}
