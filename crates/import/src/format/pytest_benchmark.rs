//! pytest-benchmark, `--benchmark-json`, or `--benchmark-save` with or without `--benchmark-save-data`.
//!
//! The list `stats.data`, in seconds, is one repetition, because one process runs its rounds in a row.
//! Without the list, the stated statistics become a summary. Numbers in `extra_info` are measures. The name is the full
//! one, with file and parameters.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Number, Numbers};
use crate::quantity::Quantity;
use crate::time::Scale;
use crate::{BENCHMARKS_MAX, Summary, VALUES_MAX};
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "pytest-benchmark",
    title: "pytest-benchmark (JSON)",
    detect: |probe| {
        let file = probe.outline();
        let machine = file.get("machine_info");
        machine.is_some_and(|machine| machine.has("python_version") || machine.has("python_implementation"))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    #[serde(default)]
    machine_info: Machine,
    #[serde(default)]
    commit_info: Commit,
    #[serde(default)]
    datetime: Loose,
    #[serde(default)]
    version: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Machine {
    node: Loose,
    machine: Loose,
    system: Loose,
    release: Loose,
    python_implementation: Loose,
    python_version: Loose,
    cpu: Cpu,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Cpu {
    brand_raw: Loose,
    count: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Commit {
    id: Loose,
    branch: Loose,
    dirty: Loose,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Test {
    name: String,
    fullname: Option<String>,
    stats: Stats,
    #[serde(default)]
    extra_info: Numbers,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Stats {
    data: Option<List<Number, VALUES_MAX>>,
    min: Option<Number>,
    max: Option<Number>,
    mean: Option<Number>,
    median: Option<Number>,
    q1: Option<Number>,
    q3: Option<Number>,
    rounds: Option<u64>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (file, tests) = json::object_with_list::<File, Test, BENCHMARKS_MAX>(text, "benchmarks")?;
    facts(&file, collector);
    tests.each(|index, test| read_test(index, test, collector))
}

fn read_test(index: usize, mut test: Test, collector: &mut Collector) -> Result<(), Fault> {
    let path = format!("benchmarks[{index}].stats");
    let entry = collector.distinct(&Entry::new(test.fullname.as_ref().unwrap_or(&test.name), 1_000));
    match test.stats.data.take().filter(|data| !data.0.is_empty()) {
        Some(List(values)) => {
            let time = |(round, Number(value))| {
                scale().time_at(value, || Place::member(format!("{path}.data[{round}]")))
            };
            let times = values.into_iter().enumerate().map(time).collect::<Result<_, _>>()?;
            collector.samples(&entry, times, &Place::member(path))?;
        }
        None => collector.summary(&entry, summary(&test.stats, &path)?, &Place::member(path))?,
    }
    let place = Place::member(format!("benchmarks[{index}].extra_info"));
    for (name, value) in &test.extra_info.0 {
        collector.value(&entry, &Quantity::undirected(name, ""), *value, &place)?;
    }
    Ok(())
}

/// In seconds.
fn scale() -> Scale {
    Scale::per_thousand(1e9)
}

fn facts(file: &File, collector: &mut Collector) {
    let machine = &file.machine_info;
    collector.fact("host", machine.node.fact());
    collector.fact("architecture", machine.machine.fact());
    collector.fact("os", machine.system.fact());
    collector.fact("os_release", machine.release.fact());
    collector.fact("cpu", machine.cpu.brand_raw.fact());
    collector.fact("cpus", machine.cpu.count.fact());
    collector.fact("python", machine.python_version.fact());
    collector.fact("python_implementation", machine.python_implementation.fact());
    // Without a repository, the commit is `unversioned` and the branch `(unknown)`.
    let stated = |fact: &Loose| fact.fact().filter(|fact| fact != "unversioned" && fact != "(unknown)");
    collector.fact("commit", stated(&file.commit_info.id));
    collector.fact("branch", stated(&file.commit_info.branch));
    collector.fact("date", file.datetime.fact());
    collector.fact("tool_version", file.version.fact());
    if file.commit_info.dirty == Loose::Text("true".into()) {
        collector.warn("measured with uncommitted changes");
        collector.fact("work_tree_modified", Some("true"));
    }
}

fn summary(stats: &Stats, path: &str) -> Result<Summary, Fault> {
    let time = |name: &str, number: Option<Number>| {
        let place = || Place::member(format!("{path}.{name}"));
        number.map(|Number(value)| scale().time_at(value, place)).transpose()
    };
    let middle = Summary::from_median_or_mean(time("median", stats.median)?, time("mean", stats.mean)?)
        .ok_or_else(|| Place::member(path).fault("expected data, a median or a mean"))?;
    let quartiles = [(250_000, time("q1", stats.q1)?), (750_000, time("q3", stats.q3)?)];
    Ok(Summary {
        min_ns: time("min", stats.min)?,
        max_ns: time("max", stats.max)?,
        quantiles: quartiles.into_iter().filter_map(|(ppm, value)| Some((ppm, value?))).collect(),
        count: stats.rounds,
        ..middle
    })
}
