//! Criterion's folder `target/criterion`, which the `roundtrip` command collects into one file: a line for each
//! benchmark, with the contents of its `benchmark.json`, `sample.json` and `estimates.json`.
//!
//! A benchmark is one repetition, because one process takes all samples in a row. Each sample is the time of several
//! iterations; its value is their average. The throughput is a setting of the benchmark, and the estimates are
//! computed from the samples: neither is read.

use super::Reader;
use crate::VALUES_MAX;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Number};
use crate::time::Scale;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "criterion-dir",
    title: "Criterion (folder target/criterion)",
    detect: |probe| probe.outline().has("criterion_dir"),
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Line {
    criterion_dir: u64,
    id: Id,
    sample: Sample,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Id {
    full_id: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Sample {
    iters: List<Number, VALUES_MAX>,
    times: List<Number, VALUES_MAX>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = json::read_line(line, index)?;
        benchmark(&line, &Place::line(index + 1), collector)?;
    }
    Ok(())
}

fn benchmark(line: &Line, place: &Place, collector: &mut Collector) -> Result<(), Fault> {
    if line.criterion_dir != 1 {
        let problem = format!("expected 1, found {}: use a newer version of Roundtrip", line.criterion_dir);
        return Err(place.with_member("criterion_dir").fault(problem));
    }
    let (counts, times) = (&line.sample.iters.0, &line.sample.times.0);
    if counts.len() != times.len() {
        let problem =
            format!("expected one for each of the {} values of iters, found {}", counts.len(), times.len());
        return Err(place.with_member("sample.times").fault(problem));
    }
    let mut values = Vec::with_capacity(times.len());
    for (sample, (&Number(count), &Number(time))) in counts.iter().zip(times).enumerate() {
        let at = |list: &str| place.with_member(&format!("sample.{list}[{sample}]"));
        if count < 1.0 {
            return Err(at("iters").fault(format!("expected at least 1 iteration, found {count}")));
        }
        values.push(Scale::per_thousand(1.0).time_at(time / count, || at("times"))?);
    }
    let entry = collector.distinct(&Entry::new(&line.id.full_id, 1_000));
    collector.samples(&entry, values, place)
}
