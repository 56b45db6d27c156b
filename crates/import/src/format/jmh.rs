//! JMH, `-rf json`.
//!
//! Each fork is one repetition. For average times and throughputs (`avgt`, `thrpt`), an iteration is one
//! value: the time of 1,000 operations. A throughput becomes the time between two operations of any thread.
//! For `sample` and `ss`, each value is one operation. A name includes its parameters, and its mode unless it
//! is `avgt`. Secondary metrics (from profilers) are left out.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Members, Number};
use crate::time::{self, Scale};
use crate::{Statistic, Summary, VALUES_MAX};
use serde::Deserialize;
use serde::de::IgnoredAny;

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
    secondary_metrics: Members<IgnoredAny, 1_000>,
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
    raw_data: Option<List<List<Number, VALUES_MAX>, PARTS_MAX>>,
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
    // Secondary metrics that begin with `p` repeat the quantiles of a sampled time.
    let secondary = result.secondary_metrics.0.iter().map(|(name, _)| name.as_str());
    collector.left_out(secondary.filter(|name| !name.starts_with('p')));
    let metric = &result.primary_metric;
    let Some(unit) = Unit::from_result(result) else {
        collector.warn(format!(
            "{}: skipped; `{}` is neither time per operation nor operations per time",
            result.benchmark, metric.score_unit
        ));
        return Ok(());
    };
    let entry = Entry::new(name(result), unit.scale.operations);
    let path = format!("[{index}].primaryMetric");
    if let Some(forks) = &metric.raw_data {
        for (fork, List(values)) in forks.0.iter().enumerate() {
            let place = Place::member(format!("{path}.rawData[{fork}]"));
            let times = values.iter().map(|&Number(value)| unit.time(value)).collect::<Result<_, _>>();
            let times = times.map_err(|problem| place.fault(problem))?;
            collector.samples(&entry, times, &place)?;
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
            collector.counts(&entry, &times, &place)?;
        }
        Ok(())
    } else {
        let place = Place::member(path);
        let summary = summary(metric, unit).map_err(|problem| place.fault(problem))?;
        collector.summary(&entry, summary, &place)
    }
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
        for (percent, value) in &metric.score_percentiles.0 {
            let ppm = percent.parse::<f64>().ok().and_then(time::ppm_of_percent);
            if let (Some(ppm), Some(value)) = (ppm, value.number()) {
                let time = unit.time(value)?;
                match ppm {
                    0 => summary.min_ns = Some(time),
                    1_000_000 => summary.max_ns = Some(time),
                    _ => summary.quantiles.push((ppm, time)),
                }
            }
        }
        summary.quantiles.sort_unstable();
    }
    Ok(summary)
}
