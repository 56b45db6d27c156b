//! k6, `--new-machine-readable-summary`: the export and the data of `handleSummary` from version 1.5.
//!
//! A trend is a summary: of times in milliseconds, or of another quantity. Counters, rates, gauges and checks are
//! measures. The older summary is the format `k6`.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::Outline;
use crate::json::{self, List, Loose, Members, Number};
use crate::quantity::Quantity;
use crate::time::{self, Scale};
use crate::{BENCHMARKS_MAX, Summary};
use roundtrip_wire::Better;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "k6-summary",
    title: "k6 (new summary as JSON)",
    detect: |probe| {
        let file = probe.outline();
        let is_summary = |results: &Outline| results.has("metrics") || results.has("checks");
        file.has("metadata") && file.get("results").is_some_and(is_summary)
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    #[serde(default)]
    config: Config,
    #[serde(default)]
    metadata: Metadata,
    results: Results,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Config {
    duration: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Metadata {
    generated_at: Loose,
    k6_version: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Results {
    metrics: List<Metric, BENCHMARKS_MAX>,
    checks: Checks,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Checks {
    metrics: List<Metric, BENCHMARKS_MAX>,
    results: List<Check, BENCHMARKS_MAX>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Check {
    name: String,
    passes: Number,
    fails: Number,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Metric {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    contains: String,
    /// JSON has no NaN: `null` stands for it.
    #[serde(default)]
    values: Members<Option<Number>, 200>,
}

impl Metric {
    fn value(&self, name: &str) -> Option<f64> {
        self.values.0.iter().find(|(known, _)| known == name)?.1.map(|number| number.0)
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let file: File = json::read(text)?;
    collector.fact("duration_s", file.config.duration.fact());
    collector.fact("date", file.metadata.generated_at.fact());
    collector.fact("tool_version", file.metadata.k6_version.fact());
    let Results { metrics, checks } = file.results;
    for (list, metrics) in [("metrics", metrics), ("checks.metrics", checks.metrics)] {
        for (index, metric) in metrics.0.iter().enumerate() {
            read_metric(metric, Place::member(format!("results.{list}[{index}]")), collector)?;
        }
    }
    for (index, check) in checks.results.0.iter().enumerate() {
        let place = Place::member(format!("results.checks.results[{index}]"));
        let entry = Entry::new(format!("checks{{check:{}}}", check.name), 1);
        let passes = Quantity { scale: 1, ..Quantity::new("passes", "", Better::Higher) };
        collector.value(&entry, &passes, check.passes.0, &place)?;
        collector.value(&entry, &Quantity::counter("fails"), check.fails.0, &place)?;
    }
    Ok(())
}

fn read_metric(metric: &Metric, place: Place, collector: &mut Collector) -> Result<(), Fault> {
    let entry = Entry::new(&metric.name, 1);
    let quantity = quantity(&metric.name, &metric.kind, &metric.contains);
    let member = match metric.kind.as_str() {
        "trend" => {
            let entry = quantity.as_ref().map_or_else(|| entry.clone(), |quantity| entry.of(quantity));
            return match summary(metric, quantity.as_ref()) {
                Ok(Some(summary)) => collector.summary(&entry, summary, &place),
                Err(problem) if quantity.is_none() => Err(place.fault(problem)),
                skipped => {
                    let reason = skipped.err().unwrap_or_else(|| "no values".into());
                    collector.skip(format!("{}: skipped: {reason}", entry.name));
                    Ok(())
                }
            };
        }
        "counter" => "count",
        "rate" => "rate",
        _ => "value",
    };
    match (metric.value(member), quantity) {
        _ if is_setting(&metric.name) => Ok(()),
        (Some(value), Some(quantity)) => collector.value(&entry, &quantity, value, &place),
        _ => {
            collector.skip(format!("{}: skipped, no `{member}`", entry.name));
            Ok(())
        }
    }
}

/// Whether a metric is a setting of the run: the number of users.
pub(super) fn is_setting(metric: &str) -> bool {
    matches!(metric, "vus" | "vus_max")
}

/// The quantity of a metric; `None` for the time of an operation, in milliseconds. k6 states no direction: more is
/// better of counters and rates, except of failures.
pub(super) fn quantity(name: &str, kind: &str, contains: &str) -> Option<Quantity> {
    // Tags select a part of a metric: `http_req_failed{kind:small}`.
    let of_metric = name.split('{').next().unwrap_or(name).to_ascii_lowercase();
    let is_bad = ["fail", "error", "dropped"].iter().any(|word| of_metric.contains(word));
    let better = if matches!(kind, "counter" | "rate") && !is_bad { Better::Higher } else { Better::Lower };
    let measure = match kind {
        "counter" => "count",
        "rate" => "rate",
        _ => "value",
    };
    Some(match (kind, contains) {
        ("trend", "time") => return None,
        (_, "time") => Quantity::new(measure, "ms", better),
        (_, "data") => Quantity { scale: 1, ..Quantity::new(measure, "B", better) },
        ("rate", _) => Quantity::fine(measure, "", better),
        _ => Quantity::new(measure, "", better),
    })
}

/// The statistics of a trend; `None` without values.
fn summary(metric: &Metric, quantity: Option<&Quantity>) -> Result<Option<Summary>, String> {
    let stored = |name: &str| {
        let stored = metric.value(name).map(|value| match quantity {
            None => Scale::per_one(1e6).time(value),
            Some(quantity) => quantity.stored(value),
        });
        stored.transpose()
    };
    let Some(middle) = Summary::from_median_or_mean(stored("med")?, stored("avg")?) else { return Ok(None) };
    let mut quantiles = Vec::new();
    for (name, _) in &metric.values.0 {
        let percent =
            name.strip_prefix('p').and_then(|percent| percent.trim_matches(['(', ')']).parse().ok());
        if let (Some(ppm), Some(value)) = (percent.and_then(time::ppm_of_percent), stored(name)?) {
            quantiles.push((ppm, value));
        }
    }
    let count = metric.value("count").and_then(json::whole);
    let summary = Summary { min_ns: stored("min")?, max_ns: stored("max")?, count, ..middle };
    Ok(Some(summary.with_quantiles(quantiles)))
}
