//! Bencher Metric Format: JSON of benchmarks, their measures, and a value of each with its bounds.
//!
//! Of the measures only `latency` is a time of an operation; the format's documentation fixes its unit, nanoseconds.
//! Every other measure is left out. A file has no samples, so each benchmark is a summary of one value.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::error::{Fault, Place};
use crate::glance::Outline;
use crate::json::{self, Members, Number};
use crate::time::Scale;
use crate::{BENCHMARKS_MAX, Statistic, Summary};
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "bmf",
    title: "Bencher Metric Format (JSON)",
    detect: |glance| {
        let benchmarks = glance.outline().members();
        let mut measures = benchmarks.iter().flat_map(|(_, benchmark)| benchmark.members());
        let all = benchmarks.iter().all(|(_, benchmark)| is_benchmark(benchmark));
        all && measures.any(|(_, measure)| measure.has("value"))
    },
    read,
};

/// Or the beginning of one, where a file is cut.
fn is_benchmark(benchmark: &Outline) -> bool {
    let is_measure = |measure: &Outline| match measure {
        Outline::Unseen => true,
        Outline::Object(members) => {
            members.iter().all(|(name, _)| matches!(name.as_str(), "value" | "lower_value" | "upper_value"))
        }
        _ => false,
    };
    match benchmark {
        Outline::Unseen => true,
        Outline::Object(measures) => measures.iter().all(|(_, measure)| is_measure(measure)),
        _ => false,
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Metric {
    value: Number,
    lower_value: Option<Number>,
    upper_value: Option<Number>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let benchmarks: Members<Members<Metric, 1_000>, BENCHMARKS_MAX> = json::read(text)?;
    for (name, measures) in &benchmarks.0 {
        for (measure, metric) in &measures.0 {
            if !measure.eq_ignore_ascii_case("latency") {
                collector.left_out([measure.as_str()]);
                continue;
            }
            let time = |member: &str, Number(value): Number| {
                let place = || Place::member(format!("{name}.{measure}.{member}"));
                Scale::of_thousand(1.0).time(value).map_err(|problem| place().fault(problem))
            };
            let stated =
                |member: &str, value: Option<Number>| value.map(|value| time(member, value)).transpose();
            let summary = Summary {
                low_ns: stated("lower_value", metric.lower_value)?,
                high_ns: stated("upper_value", metric.upper_value)?,
                ..Summary::of(Statistic::Value, time("value", metric.value)?)
            };
            collector.summary(&Entry::new(name, 1_000), summary, &Place::member(name))?;
        }
    }
    Ok(())
}
