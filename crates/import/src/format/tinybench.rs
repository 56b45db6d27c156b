//! tinybench: a list of results with names, `JSON.stringify(bench.table())`, or `JSON.stringify(bench.tasks)` of
//! versions 2 to 5.
//!
//! The results of a task have no name, so save them with it:
//! `JSON.stringify(bench.tasks.map(({ name, result }) => ({ name, ...result })))`.
//!
//! `samples`, in milliseconds, are one repetition, because one process runs its iterations in a row. Without them, and
//! in a table, the statistics become a summary. `hz` and `throughput` are computed from the same times, so they are
//! ignored.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::Outline;
use crate::json::{self, List, Loose, Number, visited};
use crate::time::Scale;
use crate::{Summary, VALUES_MAX};
use serde::de::{IgnoredAny, MapAccess};

pub(super) const READER: Reader = Reader {
    slug: "tinybench",
    title: "tinybench (JSON)",
    detect: |probe| {
        let is_result = |row: &Outline| {
            row.has("latency") && row.has("throughput") || row.has("p995") && row.has("samples")
        };
        let is_row = |row: &Outline| {
            row.has("Task name")
                || row.has("Task Name")
                || is_result(row)
                || row.has("name") && row.get("result").is_some_and(is_result)
        };
        probe.outline().elements().iter().any(is_row)
    },
    read,
};

/// The statistics of a task, by their names in tinybench.
#[derive(Default)]
pub(super) struct Statistics {
    figures: Vec<(&'static str, f64)>,
    samples: Option<List<Number, VALUES_MAX>>,
}

const FIGURES: [&str; 11] =
    ["mean", "median", "p50", "p75", "p99", "p995", "p999", "min", "max", "sampleCount", "samplesCount"];

/// The quantiles, in parts per million.
const QUANTILES: [(&str, u32); 4] =
    [("p75", 750_000), ("p99", 990_000), ("p995", 995_000), ("p999", 999_000)];

impl Statistics {
    /// Reads the value of a member if it is one of the statistics.
    pub(super) fn read_member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if name == "samples" {
            self.samples = map.next_value()?;
        } else if let Some(name) = FIGURES.iter().find(|known| **known == name) {
            if let Some(number) = map.next_value::<Loose>()?.number() {
                self.figures.push((name, number));
            }
        } else {
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Adds the samples, or else the statistics. Returns false if there are neither.
    pub(super) fn add(self, entry: &Entry, path: &str, collector: &mut Collector) -> Result<bool, Fault> {
        if let Some(List(samples)) = self.samples.as_ref().filter(|samples| !samples.0.is_empty()) {
            let place = Place::member(format!("{path}.samples"));
            let times = samples.iter().map(|sample| scale().time(sample.0)).collect::<Result<_, _>>();
            collector.samples(entry, times.map_err(|problem| place.fault(problem))?, &place)?;
            return Ok(true);
        }
        let time = |name: &str| {
            let place = || Place::member(format!("{path}.{name}"));
            self.figure(name).map(|value| scale().time_at(value, place)).transpose()
        };
        let median = time("median")?.or(time("p50")?);
        let Some(middle) = Summary::from_median_or_mean(median, time("mean")?) else { return Ok(false) };
        let mut quantiles = Vec::new();
        for (name, ppm) in QUANTILES {
            quantiles.extend(time(name)?.map(|value| (ppm, value)));
        }
        let count = self.figure("sampleCount").or(self.figure("samplesCount")).and_then(json::whole);
        let summary = Summary { min_ns: time("min")?, max_ns: time("max")?, quantiles, count, ..middle };
        collector.summary(entry, summary, &Place::member(path))?;
        Ok(true)
    }
}

/// In milliseconds. Functions often take nanoseconds, and their mean has fractions.
fn scale() -> Scale {
    Scale::per_thousand(1e6)
}

/// A row of any of the shapes.
#[derive(Default)]
struct Row {
    name: Option<String>,
    statistics: Statistics,
    /// The members of a table.
    table: Vec<(String, Loose)>,
    error: Option<String>,
    runtime: Loose,
    runtime_version: Loose,
}

visited! { Row, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        const MEMBERS_MAX: usize = 100;
        let mut row = Row::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "name" | "Task name" | "Task Name" => row.name = Some(map.next_value()?),
                "runtime" => row.runtime = map.next_value()?,
                "runtimeVersion" => row.runtime_version = map.next_value()?,
                "Error" | "state" => {
                    let text = map.next_value::<Loose>()?.fact();
                    row.error = text.filter(|text| text != "completed").or(row.error);
                }
                "result" => {
                    let Row { name, .. } = std::mem::take(&mut row);
                    row = Row { name, ..map.next_value::<Option<Row>>()?.unwrap_or_default() };
                }
                // Versions 3 to 5 state the same statistics outside too.
                "latency" => row.statistics = map.next_value::<Latency>()?.0,
                _ if name.contains("(ns)") || name == "Samples" => {
                    let value = map.next_value()?;
                    if row.table.len() < MEMBERS_MAX {
                        row.table.push((name, value));
                    }
                }
                _ => row.statistics.read_member(&name, &mut map)?,
            }
        }
        Ok(row)
    }
}

struct Latency(Statistics);

visited! { Latency, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Latency, A::Error> {
        let mut statistics = Statistics::default();
        while let Some(name) = map.next_key::<String>()? {
            statistics.read_member(&name, &mut map)?;
        }
        Ok(Latency(statistics))
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    json::list::<Row, VALUES_MAX>(text)?.each(|index, row| {
        let path = format!("[{index}]");
        let Some(name) = row.name else {
            collector.skip(
                "skipped results without names. Save `bench.tasks.map(({ name, result }) => ({ name, ...result }))`.",
            );
            return Ok(());
        };
        if let (Some(runtime), Some(version)) = (row.runtime.fact(), row.runtime_version.fact()) {
            collector.fact("runtime", Some(format!("{runtime} {version}")));
        }
        let entry = collector.distinct(&Entry::new(name, 1_000));
        let is_added = match summary_of_table(&row.table, &path)? {
            Some(summary) => {
                collector.summary(&entry, summary, &Place::member(path))?;
                true
            }
            None => row.statistics.add(&entry, &path, collector)?,
        };
        match row.error {
            Some(error) if is_added => collector.warn(format!("{}: {error}", entry.name)),
            Some(error) => collector.skip(format!("{}: skipped, no times: {error}", entry.name)),
            None if !is_added => collector.skip(format!("{}: skipped, no times", entry.name)),
            None => {}
        }
        Ok(())
    })
}

/// Reads members as `"Latency avg (ns)": "162953 ± 187.87%"`. `None` if the row is not of a table.
fn summary_of_table(members: &[(String, Loose)], path: &str) -> Result<Option<Summary>, Fault> {
    let time = |words: [&str; 2]| {
        let is_wanted = |name: &str| words.iter().any(|word| name.contains(word));
        let Some((name, value)) = members.iter().find(|(name, _)| is_wanted(name)) else { return Ok(None) };
        let place = || Place::member(format!("{path}.{name}"));
        let text = value.fact().unwrap_or_default();
        let number = text.split('±').next().unwrap_or_default().trim().replace(',', "");
        let number =
            number.parse().map_err(|_| place().fault(format!("expected a number, found `{text}`")))?;
        Scale::per_thousand(1.0).time_at(number, place).map(Some)
    };
    let mean = time(["Latency av", "Average Time"])?;
    let summary = Summary::from_median_or_mean(time(["Latency med", "Median Time"])?, mean);
    let samples = members.iter().find(|(name, _)| name == "Samples");
    let count = samples.and_then(|(_, value)| json::whole(value.number()?));
    Ok(summary.map(|summary| Summary { count, ..summary }))
}
