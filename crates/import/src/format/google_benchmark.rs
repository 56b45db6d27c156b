//! Google Benchmark, `--benchmark_format=json` or `--benchmark_out`.
//!
//! A row with `run_type` `iteration` is one repetition with one value, its `real_time`. `cpu_time`, rates and counters
//! are measures. Aggregates become summaries only if the file has no other rows of the benchmark
//! (`--benchmark_report_aggregates_only`). Benchmarks of one name are numbered by their family.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Loose, visited};
use crate::quantity::Quantity;
use crate::time::{self, Scale};
use crate::{Statistic, Summary, VALUES_MAX};
use serde::Deserialize;
use serde::de::{Error, MapAccess};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

pub(super) const READER: Reader = Reader {
    slug: "google-benchmark",
    title: "Google Benchmark (JSON)",
    detect: |probe| {
        let context = probe.outline().get("context");
        let names = ["library_build_type", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled"];
        context.is_some_and(|context| names.iter().any(|name| context.has(name)))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    #[serde(default)]
    context: Context,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Context {
    date: Loose,
    host_name: Loose,
    num_cpus: Loose,
    mhz_per_cpu: Loose,
    cpu_scaling_enabled: Loose,
    library_version: Loose,
    library_build_type: Loose,
}

/// A result. Its numbers besides the known ones are measures.
#[derive(Default)]
struct Row {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate_name: Option<String>,
    family: Loose,
    instance: Loose,
    repetitions: Loose,
    real_time: Loose,
    time_unit: Option<String>,
    error_occurred: Loose,
    error_message: Loose,
    skipped: Loose,
    skip_message: Loose,
    figures: Vec<(String, f64)>,
}

/// The most measures of a row.
const FIGURES_MAX: usize = 1_000;

visited! { Row, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        let mut row = Row::default();
        let mut has_name = false;
        while let Some(member) = map.next_key::<String>()? {
            match member.as_str() {
                "name" => {
                    row.name = map.next_value()?;
                    has_name = true;
                }
                "run_name" => row.run_name = map.next_value()?,
                "run_type" => row.run_type = map.next_value()?,
                "aggregate_name" => row.aggregate_name = map.next_value()?,
                "family_index" => row.family = map.next_value()?,
                "per_family_instance_index" => row.instance = map.next_value()?,
                "repetitions" => row.repetitions = map.next_value()?,
                "real_time" => row.real_time = map.next_value()?,
                "time_unit" => row.time_unit = map.next_value()?,
                "error_occurred" => row.error_occurred = map.next_value()?,
                "error_message" => row.error_message = map.next_value()?,
                "skipped" => row.skipped = map.next_value()?,
                "skip_message" => row.skip_message = map.next_value()?,
                _ => {
                    let value: Loose = map.next_value()?;
                    if let Some(number) = value.number_or_nan().filter(|_| !is_setting(&member)) {
                        if row.figures.len() == FIGURES_MAX {
                            return Err(A::Error::custom(format!("expected at most {FIGURES_MAX} counters")));
                        }
                        row.figures.push((member, number));
                    }
                }
            }
        }
        row.figures.shrink_to_fit();
        if has_name { Ok(row) } else { Err(A::Error::missing_field("name")) }
    }
}

/// Numbers of a row that are not results.
fn is_setting(member: &str) -> bool {
    matches!(member, "repetition_index" | "threads" | "iterations")
}

/// The suffixes that old versions add to the names of aggregates.
const SUFFIXES: [(&str, &str); 6] = [
    ("_mean", "mean"),
    ("_median", "median"),
    ("_stddev", "stddev"),
    ("_cv", "cv"),
    ("_BigO", "BigO"),
    ("_RMS", "RMS"),
];

impl Row {
    /// Marks an aggregate of a version that marks them only by their names; `names` are those of all rows. A benchmark
    /// may have such a name itself, so there must be rows of the benchmark, or both a mean and a deviation.
    fn mark_old_aggregate(&mut self, names: &Names) {
        if self.run_type.is_some() || self.aggregate_name.is_some() {
            return;
        }
        let has = |figure: &str| self.figures.iter().any(|(name, _)| name == figure);
        for (suffix, aggregate) in SUFFIXES {
            let Some(base) = self.name.strip_suffix(suffix) else { continue };
            let has_both = || ["_mean", "_stddev"].iter().all(|end| names.has(&format!("{base}{end}")));
            let is_fit = has("rms") || has("real_coefficient");
            if is_fit || names.has(base) || has_both() {
                self.run_name = Some(base.to_owned());
                self.aggregate_name = Some(aggregate.to_owned());
                return;
            }
        }
    }

    /// The name without the number of the repetition or the name of the aggregate.
    fn benchmark(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is a repetition and not an aggregate.
    fn is_measured(&self) -> bool {
        match &self.run_type {
            Some(run_type) => run_type != "aggregate",
            None => self.aggregate_name.is_none(),
        }
    }

    /// Whether it is a fit of the complexity, or the error of one.
    fn is_fit(&self) -> bool {
        matches!(self.aggregate_name.as_deref(), Some("BigO" | "RMS"))
    }

    /// The reason why a row has no time, if so.
    fn skipped(&self) -> Option<String> {
        let is_skipped =
            self.error_occurred == Loose::Text("true".into()) || !matches!(self.skipped, Loose::Other);
        let reason = || self.error_message.fact().or_else(|| self.skip_message.fact());
        is_skipped.then(|| reason().unwrap_or_else(|| "no reason given".into()))
    }

    fn unit_ns(&self, path: &str) -> Result<f64, Fault> {
        let unit = self.time_unit.as_deref().unwrap_or("ns");
        let problem = || format!("expected ns, us, ms or s, found `{unit}`");
        time::unit_ns(unit).ok_or_else(|| Place::member(format!("{path}.time_unit")).fault(problem()))
    }

    /// `None` without a number.
    fn time(&self, path: &str) -> Result<Option<u64>, Fault> {
        let place = || Place::member(format!("{path}.real_time"));
        let Some(value) = self.real_time.number() else { return Ok(None) };
        Scale::per_thousand(self.unit_ns(path)?).time_at(value, place).map(Some)
    }

    /// The measures, as quantities with their values.
    fn measures(&self, path: &str) -> Result<Vec<(Quantity, f64)>, Fault> {
        let unit_ns = self.unit_ns(path)?;
        let measure = |&(ref name, value): &(String, f64)| match name.as_str() {
            "cpu_time" => (Quantity::time(name), value * unit_ns),
            "bytes_per_second" => (Quantity::byte_rate(name), value),
            "items_per_second" => (Quantity::rate(name), value),
            "max_bytes_used" | "total_allocated_bytes" | "net_heap_growth" => (Quantity::bytes(name), value),
            _ => (Quantity::undirected(name, ""), value),
        };
        Ok(self.figures.iter().map(measure).collect())
    }
}

/// A set of names, as their hashes: the names would take the memory of the file again.
#[derive(Default)]
struct Names {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Names {
    fn add(&mut self, name: &str) {
        self.hashes.insert(self.hasher.hash_one(name));
    }

    fn has(&self, name: &str) -> bool {
        self.hashes.contains(&self.hasher.hash_one(name))
    }
}

/// The benchmarks by name, family and instance: rows of one are its repetitions.
#[derive(Default)]
struct Entries {
    /// By their hash, the names that differ from those of their rows.
    renamed: HashMap<u64, Option<Box<str>>>,
    hasher: RandomState,
}

impl Entries {
    fn get(&mut self, row: &Row, collector: &mut Collector) -> Entry {
        let index = |loose: &Loose| loose.number().map(f64::to_bits);
        let name = row.benchmark();
        let key = self.hasher.hash_one((name, index(&row.family), index(&row.instance)));
        let renamed = self.renamed.entry(key).or_insert_with(|| {
            let entry = collector.distinct(&Entry::new(name, 1_000));
            (entry.name != name).then(|| entry.name.into())
        });
        Entry::new(renamed.as_deref().unwrap_or(name), 1_000)
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (file, rows) = json::object_with_list::<File, Row, VALUES_MAX>(text, "benchmarks")?;
    facts(&file.context, collector);
    let mut names = Names::default();
    rows.each(|_, row| {
        if row.run_type.is_none() {
            names.add(&row.name);
        }
        Ok(())
    })?;
    let mut measured = Names::default();
    let mut aggregates = Vec::new();
    let mut entries = Entries::default();
    rows.each(|index, mut row| {
        row.mark_old_aggregate(&names);
        let is_measured = row.is_measured();
        if is_measured {
            measured.add(row.benchmark());
        }
        if let Some(reason) = row.skipped() {
            collector.skip(format!("{}: skipped by the benchmark: {reason}", row.benchmark()));
        } else if row.is_fit() {
            collector.skip(format!("{}: skipped the fit of its complexity", row.benchmark()));
        } else if is_measured {
            let entry = entries.get(&row, collector);
            repetition(&entry, &row, &format!("benchmarks[{index}]"), collector)?;
        } else {
            aggregates.push((index, row));
        }
        Ok(())
    })?;
    aggregates.retain(|(_, row)| !measured.has(row.benchmark()));
    let is_same = |one: &Row, next: &Row| {
        one.benchmark() == next.benchmark() && one.family == next.family && one.instance == next.instance
    };
    for rows in aggregates.chunk_by(|(_, one), (_, next)| is_same(one, next)) {
        let Some((_, first)) = rows.first() else { continue };
        let entry = entries.get(first, collector);
        aggregate(&entry, rows, collector)?;
    }
    Ok(())
}

fn repetition(entry: &Entry, row: &Row, path: &str, collector: &mut Collector) -> Result<(), Fault> {
    let place = Place::member(path);
    match row.time(path)? {
        Some(time) => collector.samples(entry, vec![time], &place)?,
        None => collector.skip(format!("{}: skipped a row without a time", entry.name)),
    }
    for (quantity, value) in row.measures(path)? {
        collector.value(entry, &quantity, value, &place)?;
    }
    Ok(())
}

fn facts(context: &Context, collector: &mut Collector) {
    collector.fact("date", context.date.fact());
    collector.fact("host", context.host_name.fact());
    collector.fact("cpus", context.num_cpus.fact());
    collector.fact("cpu_mhz", context.mhz_per_cpu.fact());
    collector.fact("tool_version", context.library_version.fact());
    if context.cpu_scaling_enabled == Loose::Text("true".into()) {
        collector.warn("CPU frequency scaling was on: times may vary");
    }
    if context.library_build_type == Loose::Text("debug".into()) {
        collector.warn("the benchmark library is a debug build: times may be affected");
    }
}

/// Imports the aggregates of a benchmark: its median or mean, with the extremes.
fn aggregate(entry: &Entry, rows: &[(usize, Row)], collector: &mut Collector) -> Result<(), Fault> {
    let Some((first_index, first)) = rows.first() else { return Ok(()) };
    let row = |wanted: &str| rows.iter().find(|(_, row)| row.aggregate_name.as_deref() == Some(wanted));
    let stated = |wanted: &str| match row(wanted) {
        Some((index, row)) => row.time(&format!("benchmarks[{index}]")),
        None => Ok(None),
    };
    let place = Place::member(format!("benchmarks[{first_index}]"));
    match Summary::from_median_or_mean(stated("median")?, stated("mean")?) {
        Some(middle) => {
            let count = first.repetitions.number().and_then(json::whole);
            let summary = Summary { min_ns: stated("min")?, max_ns: stated("max")?, count, ..middle };
            collector.summary(entry, summary, &place)?;
        }
        None => collector.skip(format!("{}: skipped aggregates without a mean or median", entry.name)),
    }
    let central = [(Statistic::Median, row("median")), (Statistic::Mean, row("mean"))];
    if let Some((statistic, (index, row))) = central.into_iter().find_map(|(kind, row)| Some((kind, row?))) {
        for (quantity, value) in row.measures(&format!("benchmarks[{index}]"))? {
            collector.statistic(entry, &quantity, (statistic, value), &place)?;
        }
    }
    Ok(())
}
