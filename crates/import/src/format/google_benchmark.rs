//! Google Benchmark, `--benchmark_format=json` or `--benchmark_out`.
//!
//! A row with `run_type` `iteration` is one repetition with one value, its `real_time`. Aggregates become a
//! summary only if the file has no other rows (`--benchmark_report_aggregates_only`). `cpu_time` and counters
//! are left out.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Loose, Number, NumberNames};
use crate::time::{self, Scale};
use crate::{Summary, VALUES_MAX};
use serde::Deserialize;
use std::collections::HashSet;

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

/// Numbers that every row has. They need no warning when they are left out.
const KNOWN_NUMBERS: [&str; 8] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "rms",
];

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

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Row {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate_name: Option<String>,
    repetitions: Option<u64>,
    real_time: Option<Number>,
    time_unit: Option<String>,
    #[serde(default)]
    error_occurred: bool,
    #[serde(default)]
    error_message: Loose,
    #[serde(default)]
    skipped: Loose,
    #[serde(default)]
    skip_message: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Counters {
    benchmarks: NumberNames,
}

impl Row {
    /// The name without the number of the repetition or the name of the aggregate.
    fn benchmark(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is a repetition and not an aggregate. Old versions mark aggregates only by their names; `names` are
    /// those of all rows.
    fn is_measured(&self, names: &HashSet<String>) -> bool {
        let is_aggregate_by_name = || {
            let suffixes = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];
            let base = suffixes.iter().find_map(|suffix| self.name.strip_suffix(suffix));
            base.is_some_and(|base| names.contains(base))
        };
        match (&self.run_type, &self.aggregate_name) {
            (Some(run_type), _) => run_type != "aggregate",
            (None, Some(_)) => false,
            (None, None) => !is_aggregate_by_name(),
        }
    }

    /// The reason why a row has no time, if so.
    fn skipped(&self) -> Option<String> {
        let is_skipped = self.error_occurred || !matches!(self.skipped, Loose::Other);
        let reason = || self.error_message.fact().or_else(|| self.skip_message.fact());
        is_skipped.then(|| reason().unwrap_or_else(|| "no reason given".into()))
    }

    fn scale(&self, path: &str) -> Result<Scale, Fault> {
        let unit = self.time_unit.as_deref().unwrap_or("ns");
        let known = time::unit_ns(unit).map(Scale::per_thousand);
        let problem = || format!("expected ns, us, ms or s, found `{unit}`");
        known.ok_or_else(|| Place::member(format!("{path}.time_unit")).fault(problem()))
    }

    fn time(&self, path: &str) -> Result<u64, Fault> {
        let place = || Place::member(format!("{path}.real_time"));
        let Some(Number(value)) = self.real_time else { return Err(place().fault("expected a number")) };
        self.scale(path)?.time_at(value, place)
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (file, rows) = json::object_with_list::<File, Row, VALUES_MAX>(text, "benchmarks")?;
    facts(&file.context, collector);
    let mut names = HashSet::new();
    rows.each(|_, row| {
        names.insert(row.name);
        Ok(())
    })?;
    let mut measured: HashSet<String> = HashSet::new();
    let mut aggregates = Vec::new();
    rows.each(|index, row| {
        let is_measured = row.is_measured(&names);
        let name = row.benchmark();
        if is_measured && !measured.contains(name) {
            measured.insert(name.to_owned());
        }
        if let Some(reason) = row.skipped() {
            collector.warn(format!("{name}: skipped by the benchmark: {reason}"));
        } else if is_measured {
            let path = format!("benchmarks[{index}]");
            let time = row.time(&path)?;
            collector.samples(&Entry::new(name, 1_000), vec![time], &Place::member(path))?;
        } else if row.real_time.is_some() {
            aggregates.push((index, row));
        }
        Ok(())
    })?;
    aggregates.retain(|(_, row)| !measured.contains(row.benchmark()));
    for rows in aggregates.chunk_by(|(_, one), (_, next)| one.benchmark() == next.benchmark()) {
        aggregate(rows, collector)?;
    }
    let counters: Counters = json::read(text)?;
    let names = counters.benchmarks.0;
    let is_other = |name: &str| !KNOWN_NUMBERS.contains(&name) && !name.starts_with("real_");
    collector.left_out(names.iter().map(String::as_str).filter(|name| is_other(name)));
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

fn aggregate(rows: &[(usize, Row)], collector: &mut Collector) -> Result<(), Fault> {
    let Some((first_index, first)) = rows.first() else { return Ok(()) };
    let name = first.benchmark();
    let stated = |wanted: &str| {
        let found = rows.iter().find(|(_, row)| row.aggregate_name.as_deref() == Some(wanted));
        found.map(|(index, row)| row.time(&format!("benchmarks[{index}]"))).transpose()
    };
    let Some(middle) = Summary::from_median_or_mean(stated("median")?, stated("mean")?) else {
        collector.warn(format!("{name}: skipped aggregates without a mean or median"));
        return Ok(());
    };
    let summary =
        Summary { min_ns: stated("min")?, max_ns: stated("max")?, count: first.repetitions, ..middle };
    let place = Place::member(format!("benchmarks[{first_index}]"));
    collector.summary(&Entry::new(name, 1_000), summary, &place)
}
