//! `perf stat -j`: a line of JSON for each event.
//!
//! The lines do not state the command, so all files have the benchmark `perf stat`, or `perf stat CPU0` with `-A`. Each
//! event is a measure: less is better. The counts of several runs in one file (`--append`), or of several intervals
//! (`-I`), are repetitions. With `-r`, perf states only means, which are summaries. Metrics that perf computes from the
//! counts are ignored, and so are other lines: the output of the command can be in the same file.

use super::Reader;
use crate::Summary;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Loose};
use crate::model::Statistic;
use crate::quantity::Quantity;
use crate::time;
use roundtrip_wire::Better;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "perf-stat",
    title: "perf stat (JSON lines)",
    detect: |probe| {
        // A file of `-o` begins with a comment, so it is not JSON as a whole.
        let is_event = |line: &str| line.contains("\"counter-value\"") && line.contains("\"event\"");
        probe.text.lines().any(|line| is_content(line) && is_event(line))
    },
    read,
};

fn is_content(line: &str) -> bool {
    line.starts_with('{')
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", expecting = "an object")]
struct Line {
    cpu: Option<String>,
    /// A number as a text, or `<not supported>`.
    counter_value: Option<String>,
    #[serde(default)]
    unit: String,
    event: Option<String>,
    /// In percent of the mean.
    variance: Option<f64>,
    pcnt_running: Option<f64>,
    #[serde(default)]
    metric_unit: Loose,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_content(line)) {
        let line: Line = json::read(line)
            .map_err(|Fault { place, problem }| Fault { place: place.lines_down(index), problem })?;
        let place = Place::line(index + 1);
        let (Some(value), Some(event)) = (&line.counter_value, &line.event) else {
            let metric = line.metric_unit.fact().unwrap_or_default();
            collector.skip(format!("skipped a metric without an event: {metric}"));
            continue;
        };
        let name = line.cpu.as_ref().map_or("perf stat".to_owned(), |cpu| format!("perf stat CPU{cpu}"));
        if value.starts_with('<') {
            collector.skip(format!("{name}: skipped {event}: {value}"));
            continue;
        }
        let value: f64 = value
            .parse()
            .map_err(|_| place.fault(format!("expected a number in `counter-value`, found `{value}`")))?;
        if line.pcnt_running.is_some_and(|percent| percent < 100.0) {
            collector.warn(format!("{name}: {event} was not counted all the time, perf estimates the rest"));
        }
        let entry = Entry::new(name, 1);
        let (quantity, factor) = quantity(event, &line.unit);
        if line.variance.is_none() {
            collector.value(&entry, &quantity, value * factor, &place)?;
            continue;
        }
        match quantity.stored(value * factor) {
            Ok(mean) => {
                collector.summary(&entry.of(&quantity), Summary::new(Statistic::Mean, mean), &place)?;
            }
            Err(problem) => collector.skip(format!("{}: skipped {event}: {problem}", entry.name)),
        }
    }
    Ok(())
}

/// The quantity of an event, and the factor of its values.
fn quantity(event: &str, unit: &str) -> (Quantity, f64) {
    match unit {
        "" => (Quantity::counter(event), 1.0),
        "msec" => (Quantity::time(event), 1e6),
        _ => match time::unit_ns(unit) {
            Some(unit_ns) => (Quantity::time(event), unit_ns),
            None => (Quantity::fine(event, unit, Better::Lower), 1.0),
        },
    }
}
