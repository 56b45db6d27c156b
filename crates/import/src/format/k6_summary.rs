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
        let passes = Quantity::new("passes", "", Better::Higher).whole();
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
            let figures = metric.values.0.iter();
            let figures: Vec<_> =
                figures.filter_map(|(name, value)| Some((name.as_str(), value.as_ref()?.0))).collect();
            let summary = summary(&figures, quantity.as_ref()).map_err(|(_, problem)| problem);
            return match summary {
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

/// k6 states no direction: more is better of counters and of the rates of checks, except of failures.
pub(super) fn better(name: &str, kind: &str) -> Better {
    // Tags select a part of a metric: `http_req_failed{kind:small}`.
    let of_metric = name.split('{').next().unwrap_or(name).to_ascii_lowercase();
    let is_bad = ["fail", "error", "dropped"].iter().any(|word| of_metric.contains(word));
    let is_good = kind == "counter" || kind == "rate" && matches!(&*of_metric, "checks" | "checks_succeeded");
    if is_good && !is_bad { Better::Higher } else { Better::Lower }
}

/// The quantity of a metric; `None` for the time of an operation, in milliseconds.
pub(super) fn quantity(name: &str, kind: &str, contains: &str) -> Option<Quantity> {
    let better = better(name, kind);
    let measure = match kind {
        "counter" => "count",
        "rate" => "rate",
        _ => "value",
    };
    Some(match (kind, contains) {
        ("trend", "time") => return None,
        (_, "time") => Quantity::new(measure, "ms", better),
        (_, "data") => Quantity::new(measure, "B", better).whole(),
        ("rate", _) => Quantity::fine(measure, "", better),
        _ => Quantity::new(measure, "", better),
    })
}

/// The statistics of a trend; `None` without values. The error has the name of the member. Times are in milliseconds.
pub(super) fn summary<'a>(
    figures: &[(&'a str, f64)],
    quantity: Option<&Quantity>,
) -> Result<Option<Summary>, (&'a str, String)> {
    let stored = |&(name, value): &(&'a str, f64)| {
        let stored = match quantity {
            None => Scale::per_one(1e6).time(value),
            Some(quantity) => quantity.stored(value),
        };
        stored.map_err(|problem| (name, problem))
    };
    let figure = |wanted: &str| figures.iter().find(|(name, _)| *name == wanted);
    let stated = |wanted: &str| figure(wanted).map(stored).transpose();
    let Some(middle) = Summary::from_median_or_mean(stated("med")?, stated("avg")?) else { return Ok(None) };
    let mut quantiles = Vec::new();
    for figure in figures {
        // `p(99.9)`, or in the new summary also `p90`.
        let percent = figure.0.strip_prefix('p').map(|percent| percent.trim_matches(['(', ')']));
        let ppm = percent.and_then(|percent| percent.parse().ok()).and_then(time::ppm_of_percent);
        if let Some(ppm) = ppm {
            quantiles.push((ppm, stored(figure)?));
        }
    }
    let count = figure("count").and_then(|&(_, count)| json::whole(count));
    let summary = Summary { min_ns: stated("min")?, max_ns: stated("max")?, count, ..middle };
    Ok(Some(summary.with_quantiles(quantiles)))
}
