//! The JSON list of github-action-benchmark (`customSmallerIsBetter`, `customBiggerIsBetter`), which many scripts
//! write: `[{"name": "a", "unit": "ms", "value": 1.5}]`.
//!
//! A value may be a mean, a quantile or a single run, so each benchmark is a summary of one value. A unit of time, also
//! per operation (`ns/iter`), makes it a time; any other unit is the name of a measure. The file does not state which
//! values are better: larger rates (`/s`, `/sec`), and smaller values of all other units. `range` and `extra` are texts
//! for people and ignored.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Number};
use crate::quantity::{self, Quantity};
use crate::time::{self, Scale};
use crate::{Statistic, Summary, VALUES_MAX};
use roundtrip_wire::Better;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "benchmark-action",
    title: "github-action-benchmark (JSON)",
    detect: |probe| {
        let first = probe.outline().elements().first();
        first.is_some_and(|first| ["name", "unit", "value"].iter().all(|name| first.has(name)))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Row {
    name: String,
    unit: String,
    value: Number,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    json::list::<Row, VALUES_MAX>(text)?.each(|index, row| {
        let Row { name, unit, value: Number(value) } = row;
        let place = Place::member(format!("[{index}]"));
        let entry = Entry::new(name, 1_000);
        if let Some(unit_ns) = unit_ns(&unit) {
            let entry = collector.distinct(&entry);
            let time =
                Scale::per_thousand(unit_ns).time_at(value, || Place::member(format!("[{index}].value")))?;
            return collector.summary(&entry, Summary::new(Statistic::Value, time), &place);
        }
        let (factor, quantity) = of_unit(&unit);
        // Rows of one name are measures of one benchmark, unless they have the same unit.
        let entry = collector.distinct(&entry.of(&quantity));
        collector.statistic(&entry, &quantity, (Statistic::Value, value * factor), &place)
    })
}

/// The nanoseconds of a unit of time, or of a time per something, such as `ns/iter`.
fn unit_ns(unit: &str) -> Option<f64> {
    let time = unit.split('/').next().unwrap_or(unit).trim();
    time::unit_ns(time).or_else(|| match time.to_ascii_lowercase().as_str() {
        "nanoseconds" => Some(1.0),
        "microseconds" => Some(1e3),
        "milliseconds" => Some(1e6),
        "seconds" => Some(1e9),
        _ => None,
    })
}

/// The quantity of another unit, and the factor of its values: sizes and their rates are bytes.
fn of_unit(unit: &str) -> (f64, Quantity) {
    let rate = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("/sec"));
    let of = rate.unwrap_or(unit).trim();
    let name = if unit.is_empty() { "value" } else { unit };
    let bytes =
        if of == "bytes" { Some(1.0) } else { of.strip_suffix('B').and_then(quantity::prefix_factor) };
    let is_ratio = ["", "%", "percent", "ratio"].contains(&of.to_ascii_lowercase().as_str());
    match (bytes, rate) {
        (Some(factor), Some(_)) => (factor, Quantity::byte_rate(name)),
        (Some(factor), None) => (factor, Quantity::bytes(name)),
        (None, Some(_)) => (1.0, Quantity::new(name, unit, Better::Higher)),
        (None, None) if is_ratio => (1.0, Quantity::fine(name, unit, Better::Lower)),
        (None, None) => (1.0, Quantity::new(name, unit, Better::Lower)),
    }
}
