//! nanobench's JSON template (`templates::json()`).
//!
//! A benchmark is one repetition, because one process takes all measurements in a row. Each measurement is the average
//! time of many iterations, divided by `batch` as in nanobench's table. `complexityN` is a part of the name. Counters
//! of the processor and the kernel are measures. A counter that is 0 in every measurement is left out: nanobench writes
//! 0 if it cannot read one.

use super::Reader;
use crate::VALUES_MAX;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Number};
use crate::quantity::Quantity;
use crate::time::Scale;
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) const READER: Reader = Reader {
    slug: "nanobench",
    title: "nanobench (JSON)",
    detect: |probe| {
        let first = probe.outline().get("results").and_then(|results| results.elements().first());
        first.is_some_and(|first| first.has("clockResolution") || first.has("median(elapsed)"))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Benchmark {
    title: String,
    name: String,
    batch: Number,
    /// The size of the input, for an estimate of the complexity; -1 if there is none.
    #[serde(rename = "complexityN", default)]
    complexity_n: Loose,
    measurements: List<Measurement, VALUES_MAX>,
}

/// Averages of an iteration: seconds and counts.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Measurement {
    elapsed: f64,
    #[serde(default)]
    pagefaults: f64,
    #[serde(default)]
    cpucycles: f64,
    #[serde(default)]
    contextswitches: f64,
    #[serde(default)]
    instructions: f64,
    #[serde(default)]
    branchinstructions: f64,
    #[serde(default)]
    branchmisses: f64,
}

type Counter = (&'static str, fn(&Measurement) -> f64);

const COUNTERS: [Counter; 6] = [
    ("instructions", |one| one.instructions),
    ("cpucycles", |one| one.cpucycles),
    ("branchinstructions", |one| one.branchinstructions),
    ("branchmisses", |one| one.branchmisses),
    ("pagefaults", |one| one.pagefaults),
    ("contextswitches", |one| one.contextswitches),
];

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (IgnoredAny, benchmarks) = json::object_with_list::<_, Benchmark, VALUES_MAX>(text, "results")?;
    benchmarks.each(|index, benchmark| read_benchmark(index, &benchmark, collector))
}

fn read_benchmark(index: usize, benchmark: &Benchmark, collector: &mut Collector) -> Result<(), Fault> {
    let Benchmark { title, name, batch: Number(batch), complexity_n, measurements: List(measurements) } =
        benchmark;
    let path = format!("results[{index}]");
    if *batch <= 0.0 {
        let place = Place::member(format!("{path}.batch"));
        return Err(place.fault(format!("expected a number above 0, found {batch}")));
    }
    let size = complexity_n.number().filter(|size| *size > 0.0);
    let size = size.map(|size| format!(" N={size}")).unwrap_or_default();
    let entry = collector.distinct(&Entry::new(format!("{title}: {name}{size}"), 1_000));
    let mut times = Vec::with_capacity(measurements.len());
    for (run, measurement) in measurements.iter().enumerate() {
        let place = || Place::member(format!("{path}.measurements[{run}].elapsed"));
        times.push(Scale::per_thousand(1e9).time_at(measurement.elapsed / batch, place)?);
    }
    let place = Place::member(&path);
    collector.samples(&entry, times, &place)?;
    for (counter, of) in COUNTERS {
        if measurements.iter().any(|measurement| of(measurement) != 0.0) {
            let quantity = Quantity::count(counter);
            let values = measurements.iter().map(|measurement| of(measurement) / batch);
            collector.values(&entry, &quantity, values, &place)?;
        }
    }
    Ok(())
}
