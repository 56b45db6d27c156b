//! `BenchmarkDotNet`'s JSON (`JsonExporter.Full`, `--exporters json`).
//!
//! Each launch is a process, so it is one repetition. Its samples are the workload results: nanoseconds divided by
//! operations. Without the measurements (`JsonExporter.Brief`), the values of the statistics are one repetition.
//! Allocated bytes and metrics of diagnosers are measures. A name has the job in brackets, unless it is the default job.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Number};
use crate::quantity::Quantity;
use crate::time::Scale;
use crate::{BENCHMARKS_MAX, VALUES_MAX};
use roundtrip_wire::Better;
use serde::Deserialize;
use std::collections::BTreeMap;

pub(super) const READER: Reader = Reader {
    slug: "benchmark-dotnet",
    title: "BenchmarkDotNet (JSON)",
    detect: |probe| {
        let host = probe.outline().get("HostEnvironmentInfo");
        host.is_some_and(|host| host.has("BenchmarkDotNetCaption") || host.has("BenchmarkDotNetVersion"))
    },
    read,
};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct File {
    #[serde(default)]
    host_environment_info: Host,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase", expecting = "an object")]
struct Host {
    benchmark_dot_net_version: Loose,
    os_version: Loose,
    processor_name: Loose,
    logical_core_count: Loose,
    runtime_version: Loose,
    architecture: Loose,
    has_attached_debugger: Loose,
    configuration: Loose,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Benchmark {
    #[serde(default)]
    display_info: String,
    full_name: String,
    statistics: Option<Statistics>,
    memory: Option<Memory>,
    #[serde(default)]
    measurements: List<Measurement, VALUES_MAX>,
    #[serde(default)]
    metrics: List<Metric, 1_000>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Statistics {
    #[serde(default)]
    original_values: List<Number, VALUES_MAX>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Memory {
    bytes_allocated_per_operation: Option<Number>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Measurement {
    #[serde(default)]
    iteration_mode: Mode,
    #[serde(default)]
    iteration_stage: Stage,
    launch_index: u64,
    operations: u64,
    nanoseconds: f64,
}

/// The measured code; other modes measure the harness.
#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
enum Mode {
    Workload,
    #[default]
    #[serde(other)]
    Other,
}

/// The stage of the results, without the overhead of the harness; other stages are raw or warm up.
#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
enum Stage {
    Result,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Metric {
    /// JSON has no NaN: `"NaN"`.
    #[serde(default)]
    value: Loose,
    descriptor: Descriptor,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", expecting = "an object")]
struct Descriptor {
    id: String,
    #[serde(default)]
    unit: Loose,
    #[serde(default)]
    the_greater_is_better: bool,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (file, benchmarks) = json::object_with_list::<File, Benchmark, BENCHMARKS_MAX>(text, "Benchmarks")?;
    facts(&file.host_environment_info, collector);
    benchmarks.each(|index, benchmark| read_benchmark(index, &benchmark, collector))
}

fn facts(host: &Host, collector: &mut Collector) {
    collector.fact("tool_version", host.benchmark_dot_net_version.fact());
    collector.fact("os", host.os_version.fact());
    collector.fact("cpu", host.processor_name.fact());
    collector.fact("cpus", host.logical_core_count.fact());
    collector.fact("runtime", host.runtime_version.fact());
    collector.fact("architecture", host.architecture.fact());
    if host.configuration == Loose::Text("DEBUG".into()) {
        collector.warn("measured a debug build: times may be affected");
    }
    if host.has_attached_debugger == Loose::Text("true".into()) {
        collector.warn("a debugger was attached: times may be affected");
    }
}

fn read_benchmark(index: usize, benchmark: &Benchmark, collector: &mut Collector) -> Result<(), Fault> {
    let path = format!("Benchmarks[{index}]");
    let place = Place::member(&path);
    let entry = collector.distinct(&Entry::new(name(benchmark), 1_000));
    let mut launches: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (number, one) in benchmark.measurements.0.iter().enumerate() {
        if (one.iteration_mode, one.iteration_stage) == (Mode::Workload, Stage::Result) {
            let place = || Place::member(format!("{path}.Measurements[{number}]"));
            if one.operations == 0 {
                return Err(place().fault("expected at least 1 operation, found 0"));
            }
            let time = Scale::per_thousand(1.0).time_at(one.nanoseconds / one.operations as f64, place)?;
            launches.entry(one.launch_index).or_default().push(time);
        }
    }
    match &benchmark.statistics {
        _ if !launches.is_empty() => {
            for times in launches.into_values() {
                collector.samples(&entry, times, &place)?;
            }
        }
        Some(statistics) => {
            let mut times = Vec::with_capacity(statistics.original_values.0.len());
            for (number, &Number(value)) in statistics.original_values.0.iter().enumerate() {
                let place = || Place::member(format!("{path}.Statistics.OriginalValues[{number}]"));
                times.push(Scale::per_thousand(1.0).time_at(value, place)?);
            }
            collector.samples(&entry, times, &place)?;
        }
        None => collector.skip(format!("{}: skipped; failed, without results", entry.name)),
    }
    let allocated = benchmark.memory.as_ref().and_then(|memory| memory.bytes_allocated_per_operation);
    if let Some(Number(bytes)) = allocated {
        collector.value(&entry, &Quantity::bytes(ALLOCATED), bytes, &place)?;
    }
    for Metric { value, descriptor } in &benchmark.metrics.0 {
        if descriptor.id == ALLOCATED && allocated.is_some() {
            continue;
        }
        let better = if descriptor.the_greater_is_better { Better::Higher } else { Better::Lower };
        let unit = descriptor.unit.fact().unwrap_or_default();
        let quantity = match unit.as_str() {
            "B" => Quantity::bytes(&descriptor.id),
            unit => Quantity::fine(&descriptor.id, unit, better),
        };
        collector.value(&entry, &quantity, value.number().unwrap_or(f64::NAN), &place)?;
    }
    Ok(())
}

/// The metric of allocated bytes, which is also a member of its own.
const ALLOCATED: &str = "Allocated Memory";

/// The name with the job: `A.B(Size: 64) [ShortRun(LaunchCount=1)]`. The default job has no name.
fn name(benchmark: &Benchmark) -> String {
    let job = benchmark.display_info.split_once(": ").map_or("", |(_, job)| job);
    // After the job, the parameters follow in brackets.
    let job = job.split_once(" [").map_or(job, |(job, _)| job);
    if job.is_empty() || job == "DefaultJob" {
        benchmark.full_name.clone()
    } else {
        format!("{} [{job}]", benchmark.full_name)
    }
}
