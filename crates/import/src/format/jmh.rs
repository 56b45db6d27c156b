//! JMH, `-rf json`.
//!
//! Each fork is one repetition. For average times and throughputs (`avgt`, `thrpt`), an iteration is one
//! value: the time of 1,000 operations. A throughput becomes the time between two operations of any thread.
//! For `sample` and `ss`, each value is one operation. A name includes its parameters, and its mode unless it
//! is `avgt`. Secondary metrics are measures: members of a `@Group`, `@AuxCounters`, figures of profilers.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Figure, List, Loose, Members, Number};
use crate::quantity::Quantity;
use crate::time::{self, Scale};
use crate::{Statistic, Summary, VALUES_MAX};
use roundtrip_wire::Better;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "jmh",
    title: "JMH (JSON)",
    detect: |probe| {
        let first = probe.outline().elements().first();
        let has = |name: &str| first.is_some_and(|first| first.has(name));
        has("benchmark") && has("mode") && (has("jmhVersion") || has("primaryMetric"))
    },
    read,
};

/// The most forks, and the most iterations per fork.
const PARTS_MAX: usize = 100_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Measured {
    benchmark: String,
    mode: String,
    #[serde(default)]
    params: Members<Loose, 100>,
    #[serde(default)]
    jmh_version: Loose,
    #[serde(default)]
    jdk_version: Loose,
    #[serde(default)]
    vm_name: Loose,
    #[serde(default)]
    vm_version: Loose,
    #[serde(default)]
    threads: Loose,
    primary_metric: Metric,
    #[serde(default)]
    secondary_metrics: Members<Metric, 1_000>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Metric {
    score: Loose,
    score_unit: String,
    #[serde(default)]
    score_confidence: List<Loose, 2>,
    #[serde(default)]
    score_percentiles: Members<Loose, 100>,
    raw_data: Option<List<List<Figure, VALUES_MAX>, PARTS_MAX>>,
    raw_data_histogram: Option<List<List<List<Counted, VALUES_MAX>, PARTS_MAX>, PARTS_MAX>>,
}

/// A value and its count.
#[derive(Deserialize)]
#[serde(expecting = "a value and its count")]
struct Counted(Number, u64);

#[derive(Clone, Copy)]
struct Unit {
    scale: Scale,
    is_rate: bool,
}

impl Unit {
    fn from_result(result: &Measured) -> Option<Self> {
        let unit = result.primary_metric.score_unit.as_str();
        let (time, is_rate) = match unit.strip_prefix("ops/") {
            Some(time) => (time, true),
            None => (unit.strip_suffix("/op")?, false),
        };
        let unit_ns = time::unit_ns(time)?;
        let is_one = matches!(result.mode.as_str(), "sample" | "ss");
        let scale = if is_one { Scale::per_one(unit_ns) } else { Scale::per_thousand(unit_ns) };
        Some(Self { scale, is_rate })
    }

    fn time(self, value: f64) -> Result<u64, String> {
        if self.is_rate { self.scale.rate(value) } else { self.scale.time(value) }
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let results = json::list::<Measured, VALUES_MAX>(text)?;
    results.each(|index, result| read_result(index, &result, collector))
}

fn read_result(index: usize, result: &Measured, collector: &mut Collector) -> Result<(), Fault> {
    collector.fact("tool_version", result.jmh_version.fact());
    collector.fact("java", result.jdk_version.fact());
    collector.fact("java_vm", result.vm_name.fact());
    collector.fact("java_vm_version", result.vm_version.fact());
    collector.fact("threads", result.threads.fact());
    let unit = Unit::from_result(result);
    let entry = Entry::new(name(result), unit.map_or(1_000, |unit| unit.scale.operations));
    let entry = collector.distinct(&entry);
    let path = format!("[{index}].primaryMetric");
    match unit {
        Some(unit) => primary(&entry, &result.primary_metric, unit, &path, collector)?,
        None => measure(&entry, "score", &result.primary_metric, &path, collector)?,
    }
    for (name, metric) in &result.secondary_metrics.0 {
        if !repeats_quantile(&result.mode, name) {
            measure(&entry, name, metric, &format!("[{index}].secondaryMetrics.{name}"), collector)?;
        }
    }
    Ok(())
}

fn primary(
    entry: &Entry,
    metric: &Metric,
    unit: Unit,
    path: &str,
    collector: &mut Collector,
) -> Result<(), Fault> {
    if let Some(forks) = &metric.raw_data {
        for (fork, List(values)) in forks.0.iter().enumerate() {
            let place = Place::member(format!("{path}.rawData[{fork}]"));
            let times =
                numbers(entry, values, collector).map(|value| unit.time(value)).collect::<Result<_, _>>();
            let times = times.map_err(|problem| place.fault(problem))?;
            collector.samples(entry, times, &place)?;
        }
        Ok(())
    } else if let Some(forks) = &metric.raw_data_histogram {
        for (fork, List(iterations)) in forks.0.iter().enumerate() {
            let place = Place::member(format!("{path}.rawDataHistogram[{fork}]"));
            let pairs = iterations.iter().flat_map(|List(pairs)| pairs);
            let times = pairs
                .map(|&Counted(Number(value), count)| Ok((unit.time(value)?, count)))
                .collect::<Result<Vec<_>, String>>()
                .map_err(|problem| place.fault(problem))?;
            collector.counts(entry, &times, &place)?;
        }
        Ok(())
    } else {
        let place = Place::member(path);
        let summary = summary(metric, unit).map_err(|problem| place.fault(problem))?;
        collector.summary(entry, summary, &place)
    }
}

/// The values that are numbers. JMH writes `"NaN"` for an iteration without operations.
fn numbers<'a>(
    entry: &Entry,
    values: &'a [Figure],
    collector: &mut Collector,
) -> impl Iterator<Item = f64> + use<'a> {
    let others = values.iter().filter(|Figure(value)| value.is_nan()).count();
    if others > 0 {
        collector.skip(format!("{}: skipped values that are not numbers: {others}", entry.name));
    }
    values.iter().map(|&Figure(value)| value).filter(|value| !value.is_nan())
}

/// Imports a metric other than the time of an operation.
fn measure(
    entry: &Entry,
    name: &str,
    metric: &Metric,
    path: &str,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let (quantity, factor) = quantity(name, &metric.score_unit);
    let Some(forks) = &metric.raw_data else {
        let mean = (Statistic::Mean, metric.score.number().unwrap_or(f64::NAN) * factor);
        return collector.statistic(entry, &quantity, mean, &Place::member(path));
    };
    for (fork, List(values)) in forks.0.iter().enumerate() {
        let values = values.iter().map(|&Figure(value)| value * factor);
        collector.values(entry, &quantity, values, &Place::member(format!("{path}.rawData[{fork}]")))?;
    }
    Ok(())
}

/// The quantity of a metric, and the factor of its values.
fn quantity(name: &str, unit: &str) -> (Quantity, f64) {
    if let Some(unit_ns) = unit.strip_prefix("ops/").and_then(time::unit_ns) {
        return (Quantity::rate(name), 1e9 / unit_ns);
    }
    if let Some(unit_ns) = time::unit_ns(unit.strip_suffix("/op").unwrap_or(unit)) {
        return (Quantity::time(name), unit_ns);
    }
    match unit {
        "B/op" => (Quantity::bytes(name), 1.0),
        // JMH's megabyte has 2^20 bytes. Less garbage is better, and so it is for older versions, with a dot.
        "MB/sec" if name.trim_start_matches('·').starts_with("gc.") => {
            (Quantity::new(name, "B/s", Better::Lower).whole(), f64::from(1 << 20))
        }
        "MB/sec" => (Quantity::byte_rate(name), f64::from(1 << 20)),
        "counts" => (Quantity::count(name), 1.0),
        "#" => (Quantity::undirected(name, ""), 1.0),
        _ => (Quantity::undirected(name, unit), 1.0),
    }
}

/// Whether a secondary metric repeats a quantile of a sampled time, of the benchmark or of a member of its group:
/// `p0.50`, `take:p0.50`.
fn repeats_quantile(mode: &str, name: &str) -> bool {
    let quantile = name.rsplit(':').next().and_then(|last| last.strip_prefix('p'));
    let is_quantile = |text: &str| text.contains('.') && text.parse::<f64>().is_ok();
    mode == "sample" && quantile.is_some_and(is_quantile)
}

fn name(result: &Measured) -> String {
    let mode = (result.mode != "avgt").then(|| format!("mode={}", result.mode));
    let params = result.params.0.iter();
    let params = params.map(|(name, value)| format!("{name}={}", value.fact().unwrap_or_default()));
    let parameters: Vec<_> = params.chain(mode).collect();
    if parameters.is_empty() {
        result.benchmark.clone()
    } else {
        format!("{}:{}", result.benchmark, parameters.join(","))
    }
}

fn summary(metric: &Metric, unit: Unit) -> Result<Summary, String> {
    let score = metric.score.number().ok_or("expected raw data or a numeric score")?;
    // Inverting a rate swaps the ends of its interval. A rate of 0 or less has no time.
    let bound = |value: f64| if value > 0.0 { unit.time(value).map(Some) } else { Ok(None) };
    let stated: Vec<_> = metric.score_confidence.0.iter().filter_map(Loose::number).collect();
    let (mut low_ns, mut high_ns) = match stated[..] {
        [low, high] => (bound(low)?, bound(high)?),
        _ => (None, None),
    };
    if unit.is_rate {
        std::mem::swap(&mut low_ns, &mut high_ns);
    }
    let mut summary = Summary { low_ns, high_ns, ..Summary::new(Statistic::Mean, unit.time(score)?) };
    if !unit.is_rate {
        let mut quantiles = Vec::new();
        for (percent, value) in &metric.score_percentiles.0 {
            let ppm = percent.parse::<f64>().ok().and_then(time::ppm_of_percent);
            if let (Some(ppm), Some(value)) = (ppm, value.number()) {
                let time = unit.time(value)?;
                match ppm {
                    0 => summary.min_ns = Some(time),
                    1_000_000 => summary.max_ns = Some(time),
                    _ => quantiles.push((ppm, time)),
                }
            }
        }
        summary = summary.with_quantiles(quantiles);
    }
    Ok(summary)
}
