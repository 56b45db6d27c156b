//! k6: `--summary-export`, or the data of `handleSummary` as JSON.
//!
//! A trend of times, in milliseconds, is a summary, because k6 stores no samples. `handleSummary` states for
//! every metric whether it holds times. The older export does not, so only the trends that k6 measures itself
//! are read from it. Other trends, the rates of counters, shares (`Rate`) and gauges are measures. The total of a counter
//! depends on the duration, so only its rate is imported. The number of virtual users is a setting.

use super::Reader;
use super::k6_summary::{self, better};
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::Outline;
use crate::json::{self, Loose, Members, visited};
use crate::quantity::Quantity;
use crate::{BENCHMARKS_MAX, Statistic};
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};

pub(super) const READER: Reader = Reader {
    slug: "k6",
    title: "k6 (summary as JSON)",
    detect: |probe| {
        let file = probe.outline();
        let Some(metrics) = file.get("metrics") else { return false };
        let is_metric = |metric: &Outline| {
            metric.has("type") && metric.has("contains") || metric.has("avg") && metric.has("med")
        };
        file.has("root_group") && !metrics.members().is_empty()
            || metrics.members().iter().any(|(_, metric)| is_metric(metric))
    },
    read,
};

/// Trends of times that k6 itself measures.
const TIMES: [&str; 20] = [
    "browser_http_req_duration",
    "browser_web_vital_fcp",
    "browser_web_vital_fid",
    "browser_web_vital_inp",
    "browser_web_vital_lcp",
    "browser_web_vital_ttfb",
    "group_duration",
    "grpc_req_duration",
    "http_req_blocked",
    "http_req_connecting",
    "http_req_duration",
    "http_req_looking_up",
    "http_req_receiving",
    "http_req_sending",
    "http_req_tls_handshaking",
    "http_req_waiting",
    "iteration_duration",
    "ws_connecting",
    "ws_ping",
    "ws_session_duration",
];

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    metrics: Members<Metric, BENCHMARKS_MAX>,
    #[serde(default)]
    state: State,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "an object")]
struct State {
    test_run_duration_ms: Loose,
}

/// A metric in either form: the statistics are its members or the members of its `values`.
#[derive(Default)]
struct Metric {
    contains: Option<String>,
    has_values: bool,
    figures: Vec<(String, f64)>,
    failed_thresholds: Vec<String>,
}

/// The most statistics of a trend.
const FIGURES_MAX: usize = 200;

visited! { Metric, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metric, A::Error> {
        let mut metric = Metric::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "contains" => metric.contains = Some(map.next_value()?),
                "values" => {
                    // JSON has no NaN: JavaScript writes `null` for it.
                    let values: Members<Loose, FIGURES_MAX> = map.next_value()?;
                    metric.has_values = true;
                    metric.figures = values
                        .0
                        .into_iter()
                        .filter_map(|(name, value)| Some((name, value.number()?)))
                        .collect();
                }
                "type" => drop(map.next_value::<IgnoredAny>()?),
                "thresholds" => {
                    let thresholds: Members<Threshold, FIGURES_MAX> = map.next_value()?;
                    let failed = thresholds.0.into_iter().filter(|(_, threshold)| threshold.has_failed);
                    metric.failed_thresholds = failed.map(|(condition, _)| condition).collect();
                }
                _ => {
                    let number = map.next_value::<Loose>()?.number();
                    if let Some(number) = number.filter(|_| metric.figures.len() < FIGURES_MAX) {
                        metric.figures.push((name, number));
                    }
                }
            }
        }
        Ok(metric)
    }
}

/// The result of a threshold: `{"ok": false}`, or in the older export, true if it has failed.
#[derive(Default)]
struct Threshold {
    has_failed: bool,
}

visited! { Threshold, "an object, true or false", deserialize_any,
    fn visit_bool<E>(self, has_failed: bool) -> Result<Threshold, E> {
        Ok(Threshold { has_failed })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Threshold, A::Error> {
        let mut threshold = Threshold::default();
        while let Some(name) = map.next_key::<String>()? {
            let value: Loose = map.next_value()?;
            threshold.has_failed |= name == "ok" && value == Loose::Text("false".into());
        }
        Ok(threshold)
    }
}

impl Metric {
    fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    fn is_trend(&self) -> bool {
        ["avg", "med", "p(90)", "p(95)"].iter().any(|name| self.figure(name).is_some())
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let file: File = json::read(text)?;
    collector.fact("duration_ms", file.state.test_run_duration_ms.fact());
    for (name, metric) in &file.metrics.0 {
        for condition in &metric.failed_thresholds {
            collector.warn(format!("{name}: failed threshold: {condition}"));
        }
        // Tags select a part of a metric: `http_req_duration{expected_response:true}`.
        let of_metric = name.split('{').next().unwrap_or(name);
        let is_time = match &metric.contains {
            Some(contains) => contains == "time",
            None => TIMES.contains(&of_metric),
        };
        let path =
            if metric.has_values { format!("metrics.{name}.values") } else { format!("metrics.{name}") };
        let entry = collector.distinct(&Entry::new(name, 1));
        if metric.is_trend() && is_time {
            add_trend(&entry, metric, None, &path, collector)?;
        } else if metric.is_trend() && metric.contains.is_none() {
            collector.skip(format!(
                "{name}: skipped; this file does not show whether it is a time. Use the data of \
                 handleSummary instead."
            ));
        } else if metric.is_trend() {
            let contains = metric.contains.as_deref().unwrap_or_default();
            let quantity = k6_summary::quantity(name, "trend", contains);
            add_trend(&entry, metric, quantity.as_ref(), &path, collector)?;
        } else if k6_summary::is_setting(of_metric) {
            collector.warn("the number of virtual users is a setting: not imported");
        } else if let Some((quantity, statistic, value)) = measure(of_metric, metric) {
            collector.statistic(&entry, &quantity, (statistic, value), &Place::member(path))?;
        } else {
            collector.skip(format!("{name}: skipped; it has no known statistic"));
        }
    }
    Ok(())
}

/// The quantity of a metric that is not a trend, and its value.
fn measure(name: &str, metric: &Metric) -> Option<(Quantity, Statistic, f64)> {
    let is_data = matches!(name, "data_sent" | "data_received") || metric.contains.as_deref() == Some("data");
    let figure = |name: &str| metric.figure(name).map(|value| (Statistic::Value, value));
    let (quantity, (statistic, value)) = if metric.figure("passes").is_some() {
        // A share of calls: `rate`, or `value` in the older export.
        (Quantity::fine("rate", "", better(name, "rate")), figure("rate").or_else(|| figure("value"))?)
    } else if metric.figure("count").is_some() {
        let better = better(name, "counter");
        let quantity = match is_data {
            true => Quantity::new("rate", "B/s", better).whole(),
            false => Quantity::new("rate", "/s", better),
        };
        (quantity, figure("rate")?)
    } else {
        let (quantity, factor) = match metric.contains.as_deref() {
            Some("time") => (Quantity::time("value"), 1e6),
            Some("data") => (Quantity::bytes("value"), 1.0),
            _ => (Quantity::undirected("value", ""), 1.0),
        };
        (quantity, (Statistic::Value, metric.figure("value")? * factor))
    };
    Some((quantity, statistic, value))
}

/// Adds the summary of a trend: of times, or of another quantity.
fn add_trend(
    entry: &Entry,
    metric: &Metric,
    quantity: Option<&Quantity>,
    path: &str,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let place = Place::member(path);
    let figures: Vec<_> = metric.figures.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    match (k6_summary::summary(&figures, quantity), quantity) {
        (Ok(Some(summary)), None) => collector.summary(entry, summary, &place),
        (Ok(Some(summary)), Some(quantity)) => collector.summary(&entry.of(quantity), summary, &place),
        (Err((_, problem)), Some(_)) => {
            collector.skip(format!("{}: skipped: {problem}", entry.name));
            Ok(())
        }
        (Err((name, problem)), None) => Err(Place::member(format!("{path}.{name}")).fault(problem)),
        (Ok(None), _) => Err(place.fault("expected `med` or `avg`")),
    }
}
