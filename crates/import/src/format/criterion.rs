//! cargo-criterion, `--message-format=json`: one message per line.
//!
//! A benchmark is one repetition, because one process takes all samples in a row. Each sample is the time of
//! several iterations; its value is their average. Throughput and comparisons with earlier runs are left out.

use super::Reader;
use crate::VALUES_MAX;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Number};
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
        let here = |fault: Fault| Fault { place: fault.place.lines_down(index), ..fault };
        let message: Message = json::read(line).map_err(here)?;
        if message.reason != "benchmark-complete" {
            continue;
        }
        let complete: Complete = json::read(line).map_err(here)?;
        benchmark(&complete, &Place::line(index + 1), collector)?;
    }
    Ok(())
}

fn benchmark(complete: &Complete, place: &Place, collector: &mut Collector) -> Result<(), Fault> {
    let Complete { id, iteration_count, measured_values, unit, throughput } = complete;
    let Some(unit_ns) = time::unit_ns(unit) else {
        collector.warn(format!("{id}: skipped; {unit} is not a unit of time"));
        return Ok(());
    };
    if !throughput.0.is_empty() {
        collector.left_out(["throughput"]);
    }
    let (counts, values) = (&iteration_count.0, &measured_values.0);
    if counts.len() != values.len() {
        return Err(place.with_member("measured_values").fault(format!(
            "expected one for each of the {} values of iteration_count, found {}",
            counts.len(),
            values.len()
        )));
    }
    let mut times = Vec::with_capacity(values.len());
    for (sample, (&count, &Number(value))) in counts.iter().zip(values).enumerate() {
        let fault =
            |list: &str, problem: String| place.with_member(&format!("{list}[{sample}]")).fault(problem);
        if count == 0 {
            return Err(fault("iteration_count", "expected at least 1 iteration, found 0".into()));
        }
        let time = Scale::per_thousand(unit_ns).time(value / count as f64);
        times.push(time.map_err(|problem| fault("measured_values", problem))?);
    }
    collector.samples(&Entry::new(id, 1_000), times, place)
}
