//! cargo-criterion, `--message-format=json`: one message per line.
//!
//! A benchmark is one repetition, because one process takes all samples in a row. Each sample is the time of
//! several iterations; its value is their average. A measurement in a unit that is not a time, such as cycles, is a
//! measure. The throughput of an iteration is a setting. Comparisons with earlier runs are left out.

use super::Reader;
use crate::VALUES_MAX;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Number};
use crate::quantity::Quantity;
use crate::time::{self, Scale};
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "criterion",
    title: "cargo-criterion (JSON messages)",
    detect: |probe| {
        let message = probe.outline();
        let names = ["iteration_count", "measured_values", "group_name"];
        message.has("reason") && names.iter().any(|name| message.has(name))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Message {
    reason: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Complete {
    id: String,
    iteration_count: List<u64, VALUES_MAX>,
    measured_values: List<Number, VALUES_MAX>,
    unit: String,
    #[serde(default)]
    throughput: List<Loose, 100>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let message: Message = json::read_line(line, index)?;
        if message.reason != "benchmark-complete" {
            continue;
        }
        let complete: Complete = json::read_line(line, index)?;
        benchmark(&complete, &Place::line(index + 1), collector)?;
    }
    Ok(())
}

fn benchmark(complete: &Complete, place: &Place, collector: &mut Collector) -> Result<(), Fault> {
    let Complete { id, iteration_count, measured_values, unit, throughput } = complete;
    let entry = collector.distinct(&Entry::new(id, 1_000));
    if !throughput.0.is_empty() {
        collector.warn("the throughput per iteration is a setting: not imported");
    }
    let (counts, values) = (&iteration_count.0, &measured_values.0);
    if counts.len() != values.len() {
        return Err(place.with_member("measured_values").fault(format!(
            "expected one for each of the {} values of iteration_count, found {}",
            counts.len(),
            values.len()
        )));
    }
    let scale = time::unit_ns(unit).map(Scale::per_thousand);
    let quantity = Quantity::undirected(unit, unit);
    let mut stored = Vec::with_capacity(values.len());
    for (sample, (&count, &Number(value))) in counts.iter().zip(values).enumerate() {
        let fault =
            |list: &str, problem: String| place.with_member(&format!("{list}[{sample}]")).fault(problem);
        if count == 0 {
            return Err(fault("iteration_count", "expected at least 1 iteration, found 0".into()));
        }
        let average = value / count as f64;
        let one = scale.map_or_else(|| quantity.stored(average), |scale| scale.time(average));
        stored.push(one.map_err(|problem| fault("measured_values", problem))?);
    }
    let entry = if scale.is_some() { entry } else { entry.of(&quantity) };
    collector.samples(&entry, stored, place)
}
