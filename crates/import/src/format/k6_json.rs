//! k6, `--out json`: a line for each metric and for each point.
//!
//! All points of a trend of times are the samples of one repetition, in milliseconds. So are those of a submetric that
//! the file declares, such as `http_req_duration{kind:small}`. Points of another trend are samples of its quantity.
//! The value of a counter is the sum of its points, as in the summary of k6. That of a rate is the share of points that
//! are not 0, and that of a gauge is its last point.

use super::Reader;
use super::k6_summary::{is_setting, quantity};
use crate::VALUES_MAX;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Members, Number};
use crate::quantity::Quantity;
use crate::time::Scale;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

pub(super) const READER: Reader = Reader {
    slug: "k6-json",
    title: "k6 --out json (JSON lines)",
    detect: |probe| {
        let first = probe.outline();
        let data = first.get("data");
        first.has("metric")
            && first.has("type")
            && data.is_some_and(|data| data.has("contains") || data.has("time") && data.has("value"))
    },
    read,
};

/// The most metrics of a file.
const METRICS_MAX: usize = 10_000;
/// The most submetrics of a metric. Each keeps a copy of its points.
const SUBMETRICS_MAX: usize = 16;

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    metric: Cow<'a, str>,
    data: Data,
}

/// The data of a metric or of a point.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Data {
    #[serde(rename = "type")]
    kind: Option<String>,
    contains: Option<String>,
    submetrics: Option<List<Submetric, METRICS_MAX>>,
    value: Option<Number>,
    tags: Option<Tags>,
}

type Tags = Members<String, 1_000>;
/// The tags that select the points of a submetric: few, as each is compared with all tags of each point.
type Selection = Members<String, 16>;

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Submetric {
    name: String,
    tags: Option<Selection>,
}

/// A metric with its points so far.
struct Metric {
    name: String,
    /// The tags of the points; empty for all points.
    tags: Vec<(String, String)>,
    kind: String,
    quantity: Option<Quantity>,
    /// The points of a trend.
    samples: Vec<u64>,
    count: u64,
    sum: f64,
    last: f64,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut metrics: Vec<Metric> = Vec::new();
    // A metric and its submetrics follow each other.
    let mut known: HashMap<String, Range<usize>> = HashMap::new();
    let mut values = 0;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Line { kind, metric, data } = json::read_line(line, index)?;
        let place = Place::line(index + 1);
        match (kind.as_ref(), known.get(metric.as_ref())) {
            ("Metric", None) => {
                let first = metrics.len();
                declare(&metric, data, &mut metrics, collector);
                if metrics.len() > METRICS_MAX {
                    return Err(place.fault(format!("expected at most {METRICS_MAX} metrics")));
                }
                known.insert(metric.into_owned(), first..metrics.len());
            }
            ("Point", Some(range)) => {
                let Some(Number(value)) = data.value else {
                    return Err(place.fault("expected a member `value`"));
                };
                let tags = data.tags.unwrap_or_default().0;
                for metric in &mut metrics[range.clone()] {
                    if metric.tags.iter().all(|tag| tags.contains(tag)) {
                        metric.add(value, &place, collector)?;
                        values += 1;
                    }
                }
                if values > VALUES_MAX {
                    return Err(place.fault(format!("expected at most {VALUES_MAX} values in a file")));
                }
            }
            ("Point", None) => collector.skip(format!("{metric}: skipped, the file does not declare it")),
            _ => {}
        }
    }
    let measured = metrics.into_iter().filter(|metric| !is_setting(&metric.name));
    measured.into_iter().try_for_each(|metric| metric.finish(collector))
}

/// Adds the metric that a line declares, and its submetrics.
fn declare(name: &str, data: Data, metrics: &mut Vec<Metric>, collector: &mut Collector) {
    let kind = data.kind.unwrap_or_default();
    let quantity = quantity(name, &kind, &data.contains.unwrap_or_default());
    let metric = |name: String, tags: Option<Selection>| Metric {
        name,
        tags: tags.unwrap_or_default().0,
        kind: kind.clone(),
        quantity: quantity.clone(),
        samples: Vec::new(),
        count: 0,
        sum: 0.0,
        last: 0.0,
    };
    metrics.push(metric(name.to_owned(), None));
    let submetrics = data.submetrics.unwrap_or_default().0;
    if submetrics.len() > SUBMETRICS_MAX {
        collector.skip(format!("{name}: skipped submetrics after the first {SUBMETRICS_MAX}"));
    }
    metrics.extend(
        submetrics.into_iter().take(SUBMETRICS_MAX).map(|Submetric { name, tags }| metric(name, tags)),
    );
}

impl Metric {
    /// Adds a point. A value of another quantity that cannot be stored is skipped.
    fn add(&mut self, value: f64, place: &Place, collector: &mut Collector) -> Result<(), Fault> {
        if self.kind == "trend" {
            let sample = match &self.quantity {
                None => Scale::per_one(1e6).time_at(value, || place.clone())?,
                Some(quantity) => match quantity.stored(value) {
                    Ok(stored) => stored,
                    Err(problem) => {
                        collector.skip(format!("{}: skipped a point: {problem}", self.name));
                        return Ok(());
                    }
                },
            };
            self.samples.push(sample);
        }
        self.count += 1;
        self.sum += if self.kind == "rate" { f64::from(value != 0.0) } else { value };
        self.last = value;
        Ok(())
    }

    fn finish(self, collector: &mut Collector) -> Result<(), Fault> {
        let place = Place::default();
        let entry = Entry::new(self.name, 1);
        if self.count == 0 {
            collector.skip(format!("{}: skipped, no points", entry.name));
            return Ok(());
        }
        match (self.kind.as_str(), &self.quantity) {
            ("trend", None) => collector.samples(&entry, self.samples, &place),
            ("trend", Some(quantity)) => collector.samples(&entry.of(quantity), self.samples, &place),
            ("counter", Some(quantity)) => collector.value(&entry, quantity, self.sum, &place),
            ("rate", Some(quantity)) => {
                collector.value(&entry, quantity, self.sum / self.count as f64, &place)
            }
            ("gauge", Some(quantity)) => collector.value(&entry, quantity, self.last, &place),
            (kind, _) => {
                collector.skip(format!("{}: skipped, unknown kind of metric `{kind}`", entry.name));
                Ok(())
            }
        }
    }
}
