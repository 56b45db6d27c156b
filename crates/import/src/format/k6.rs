//! k6: `--summary-export`, or the data of `handleSummary` as JSON.
//!
//! A trend of times, in milliseconds, is a summary, because k6 stores no samples. `handleSummary` states for
//! every metric whether it holds times. The older export does not, so only the trends that k6 measures itself
//! are read from it.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::Outline;
use crate::json::{self, Loose, Members, Number, visited};
use crate::time::{self, Scale};
use crate::{BENCHMARKS_MAX, Summary};
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
                    let values: Members<Option<Number>, FIGURES_MAX> = map.next_value()?;
                    metric.has_values = true;
                    metric.figures = values
                        .0
                        .into_iter()
                        .filter_map(|(name, value)| Some((name, value?.0)))
                        .collect();
                }
                "type" | "thresholds" => drop(map.next_value::<IgnoredAny>()?),
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
    let mut other = Vec::new();
    for (name, metric) in &file.metrics.0 {
        // Tags select a part of a metric: `http_req_duration{expected_response:true}`.
        let of_metric = name.split('{').next().unwrap_or(name);
        let is_time = match &metric.contains {
            Some(contains) => contains == "time",
            None => TIMES.contains(&of_metric),
        };
        if metric.is_trend() && is_time {
            let path =
                if metric.has_values { format!("metrics.{name}.values") } else { format!("metrics.{name}") };
            let summary = summary(metric, &path)?;
            collector.summary(&Entry::new(name, 1), summary, &Place::member(path))?;
        } else if metric.is_trend() && metric.contains.is_none() {
            collector.warn(format!(
                "{name}: skipped; this file does not show whether it is a time. Use the data of \
                 handleSummary instead."
            ));
        } else {
            other.push(name.as_str());
        }
    }
    collector.left_out(other);
    Ok(())
}

fn summary(metric: &Metric, path: &str) -> Result<Summary, Fault> {
    let time = |name: &str| {
        let place = || Place::member(format!("{path}.{name}"));
        metric.figure(name).map(|value| Scale::per_one(1e6).time_at(value, place)).transpose()
    };
    let middle = Summary::from_median_or_mean(time("med")?, time("avg")?)
        .ok_or_else(|| Place::member(path).fault("expected `med` or `avg`"))?;
    let mut quantiles = Vec::new();
    for (name, _) in &metric.figures {
        let percent = name.strip_prefix("p(").and_then(|rest| rest.strip_suffix(')'));
        let ppm = percent.and_then(|percent| percent.parse().ok()).and_then(time::ppm_of_percent);
        if let (Some(ppm), Some(value)) = (ppm, time(name)?) {
            quantiles.push((ppm, value));
        }
    }
    quantiles.sort_unstable();
    Ok(Summary {
        min_ns: time("min")?,
        max_ns: time("max")?,
        quantiles,
        count: metric.figure("count").and_then(whole),
        ..middle
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^53")]
fn whole(number: f64) -> Option<u64> {
    (0.0..=9e15).contains(&number).then_some(number as u64)
}
