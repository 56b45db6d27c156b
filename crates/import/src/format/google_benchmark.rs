//! Google Benchmark, `--benchmark_format=json` or `--benchmark_out`.
//!
//! A row with `run_type` `iteration` is one repetition with one value, its `real_time`. Aggregates become a
//! summary only if the file has no other rows (`--benchmark_report_aggregates_only`). `cpu_time` and counters
//! are left out.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Number, NumberNames};
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
    benchmarks: List<Row, VALUES_MAX>,
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
    let file: File = json::read(text)?;
    facts(&file.context, collector);
    let rows = &file.benchmarks.0;
    let raw: Vec<bool> = are_raw(rows);
    let of_raw: HashSet<&str> =
        rows.iter().zip(&raw).filter(|(_, raw)| **raw).map(|(row, _)| row.benchmark()).collect();
    let mut aggregates: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, (row, raw)) in rows.iter().zip(raw).enumerate() {
        let name = row.benchmark();
        if let Some(reason) = row.skipped() {
            collector.warn(format!("{name}: skipped by the benchmark: {reason}"));
        } else if raw {
            let path = format!("benchmarks[{index}]");
            let time = row.time(&path)?;
            collector.samples(&Entry::new(name, 1_000), vec![time], &Place::member(path))?;
        } else if !of_raw.contains(name) && row.real_time.is_some() {
            match aggregates.last_mut() {
                Some((known, rows)) if *known == name => rows.push(index),
                _ => aggregates.push((name, vec![index])),
            }
        }
    }
    for (name, indices) in aggregates {
        aggregate(name, rows, &indices, collector)?;
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

/// Marks the measured rows. Old versions mark aggregates only by their names.
fn are_raw(rows: &[Row]) -> Vec<bool> {
    let names: HashSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let is_aggregate_by_name = |name: &str| {
        let suffixes = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];
        let base = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix));
        base.is_some_and(|base| names.contains(base))
    };
    rows.iter()
        .map(|row| match (&row.run_type, &row.aggregate_name) {
            (Some(run_type), _) => run_type != "aggregate",
            (None, Some(_)) => false,
            (None, None) => !is_aggregate_by_name(&row.name),
        })
        .collect()
}

fn aggregate(name: &str, rows: &[Row], indices: &[usize], collector: &mut Collector) -> Result<(), Fault> {
    let stated = |wanted: &str| {
        let found = indices.iter().find(|&&index| rows[index].aggregate_name.as_deref() == Some(wanted));
        found.map(|&index| rows[index].time(&format!("benchmarks[{index}]"))).transpose()
    };
    let Some(middle) = Summary::from_median_or_mean(stated("median")?, stated("mean")?) else {
        collector.warn(format!("{name}: skipped aggregates without a mean or median"));
        return Ok(());
    };
    let summary = Summary {
        min_ns: stated("min")?,
        max_ns: stated("max")?,
        count: indices.first().and_then(|&index| rows[index].repetitions),
        ..middle
    };
    let place = Place::member(format!("benchmarks[{}]", indices.first().copied().unwrap_or_default()));
    collector.summary(&Entry::new(name, 1_000), summary, &place)
}
