//! benchmark.js: its text, or JSON of a suite, of a benchmark, or of a list with `name` and `stats`.
//!
//! The list `stats.sample`, in seconds per operation, is one repetition, because one process runs its cycles in a row.
//! A line of text states only a rate, `name x 1,234 ops/sec ±0.50% (90 runs sampled)`: a summary with the mean time.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::Outline;
use crate::json::{self, List, Loose, Number, visited};
use crate::model::Statistic;
use crate::time::Scale;
use crate::{Summary, VALUES_MAX};
use serde::Deserialize;
use serde::de::MapAccess;

pub(super) const READER: Reader = Reader {
    slug: "benchmark-js",
    title: "benchmark.js (text or JSON)",
    detect: |probe| {
        let is_benchmark = |benchmark: &Outline| {
            let stats = benchmark.get("stats");
            stats.is_some_and(|stats| stats.has("rme") && stats.has("sem") && stats.has("sample"))
        };
        let file = probe.outline();
        is_benchmark(file)
            || file.elements().iter().any(is_benchmark)
            || file.members().iter().any(|(_, member)| is_benchmark(member))
            || probe.lines().any(|line| Line::parse(line).is_some())
    },
    read,
};

/// A line of text.
struct Line<'a> {
    name: &'a str,
    per_second: f64,
    runs: u64,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (left, right) = line.rsplit_once(" ops/sec ±")?;
        let (name, rate) = left.rsplit_once(" x ")?;
        let (_, runs) = right.split_once("% (")?;
        let runs = runs.trim_end().strip_suffix(" sampled)")?;
        let runs = runs.strip_suffix(" runs").or(runs.strip_suffix(" run"))?;
        Some(Self {
            name: name.trim_start(),
            per_second: rate.replace(',', "").parse().ok()?,
            runs: runs.parse().ok()?,
        })
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Stats {
    mean: Option<Number>,
    #[serde(default)]
    sample: List<Number, VALUES_MAX>,
}

/// A benchmark, if the object has statistics, and the benchmarks of a suite.
#[derive(Default)]
struct Element {
    name: Option<String>,
    stats: Option<Stats>,
    /// The benchmarks of a suite are its numbered members.
    members: Vec<(usize, Element)>,
}

visited! { Element, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Element, A::Error> {
        let mut element = Element::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "name" => element.name = map.next_value::<Loose>()?.fact(),
                "stats" => element.stats = map.next_value()?,
                number => match number.parse() {
                    Ok(number) => {
                        let member: Element = map.next_value()?;
                        if member.stats.is_some() {
                            element.members.push((number, member));
                        }
                    }
                    Err(_) => drop(map.next_value::<Loose>()?),
                },
            }
        }
        Ok(element)
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let start = text.trim_start();
    if start.starts_with('[') {
        return json::list::<Element, VALUES_MAX>(text)?
            .each(|index, element| read_benchmark(element, &format!("[{index}]"), collector));
    }
    if start.starts_with('{') {
        let Element { name, stats, members } = json::read(text)?;
        if stats.is_some() {
            return read_benchmark(Element { name, stats, members }, "", collector);
        }
        return members
            .into_iter()
            .try_for_each(|(number, member)| read_benchmark(member, &number.to_string(), collector));
    }
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some(line) = Line::parse(line) {
            let entry = collector.distinct(&Entry::new(line.name, 1_000));
            let mean = Scale::per_thousand(1e9).rate(line.per_second);
            let mean = mean.map_err(|problem| place.fault(problem))?;
            let summary = Summary { count: Some(line.runs), ..Summary::new(Statistic::Mean, mean) };
            collector.summary(&entry, summary, &place)?;
        } else if line.ends_with(": ") || line.contains("Error") {
            collector.skip(format!("skipped, it failed: {}", line.trim_end()));
        }
    }
    Ok(())
}

fn read_benchmark(element: Element, path: &str, collector: &mut Collector) -> Result<(), Fault> {
    let scale = Scale::per_thousand(1e9);
    let Some(name) = element.name else {
        collector.skip(format!("{path}: skipped, it has no name"));
        return Ok(());
    };
    let entry = collector.distinct(&Entry::new(name, 1_000));
    let place = Place::member(if path.is_empty() { "stats".to_owned() } else { format!("{path}.stats") });
    match element.stats {
        Some(Stats { sample: List(sample), .. }) if !sample.is_empty() => {
            let times = sample.iter().map(|sample| scale.time(sample.0)).collect::<Result<_, _>>();
            collector.samples(&entry, times.map_err(|problem| place.fault(problem))?, &place)
        }
        // A benchmark that throws has a mean of 0.
        Some(Stats { mean: Some(Number(mean)), .. }) if mean != 0.0 => {
            let mean = scale.time_at(mean, || place.clone())?;
            collector.summary(&entry, Summary::new(Statistic::Mean, mean), &place)
        }
        _ => {
            collector.skip(format!("{}: skipped, no times: it failed or did not run", entry.name));
            Ok(())
        }
    }
}
