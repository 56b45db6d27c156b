//! `perf stat -j`: a line of JSON for each event.
//!
//! The lines do not state the command, so all files have the benchmark `perf stat`. The processor of `-A`, or another
//! part of the machine or of the program, is in the name: `perf stat CPU0`, `perf stat core S0-D0-C0`. Each event is a
//! measure: less is better. The counts of several runs in one file (`--append`) are repetitions. The intervals of a run
//! (`-I`) are the samples of one repetition, because they are parts of one process. With `-r`, perf states only means,
//! which are summaries. Metrics that perf computes from the counts are ignored, and so are other lines: the output of
//! the command can be in the same file.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Loose};
use crate::model::Statistic;
use crate::quantity::Quantity;
use crate::time;
use roundtrip_wire::Better;
use serde::Deserialize;
use std::collections::HashMap;

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
    #[serde(default)]
    cpu: Loose,
    #[serde(default)]
    core: Loose,
    #[serde(default)]
    cache: Loose,
    #[serde(default)]
    cluster: Loose,
    #[serde(default)]
    die: Loose,
    #[serde(default)]
    socket: Loose,
    #[serde(default)]
    node: Loose,
    #[serde(default)]
    thread: Loose,
    #[serde(default)]
    cgroup: Loose,
    /// The end of an interval, in seconds since the start.
    interval: Option<f64>,
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

impl Line {
    /// The name of the benchmark, with what was counted.
    fn name(&self) -> String {
        let mut name = "perf stat".to_owned();
        if let Some(cpu) = self.cpu.fact() {
            name += &format!(" CPU{cpu}");
        }
        let parts = [
            ("core", &self.core),
            ("cache", &self.cache),
            ("cluster", &self.cluster),
            ("die", &self.die),
            ("socket", &self.socket),
            ("node", &self.node),
            ("thread", &self.thread),
            ("cgroup", &self.cgroup),
        ];
        for (kind, part) in parts {
            if let Some(part) = part.fact() {
                name += &format!(" {kind} {part}");
            }
        }
        name
    }
}

/// The counts of the intervals of a run, by event.
#[derive(Default)]
struct Intervals {
    /// The end of the last interval.
    end: f64,
    /// By name, event and unit.
    known: HashMap<[String; 3], usize>,
    events: Vec<Event>,
}

struct Event {
    entry: Entry,
    quantity: Quantity,
    place: Place,
    values: Vec<f64>,
}

impl Intervals {
    fn finish(self, collector: &mut Collector) -> Result<(), Fault> {
        drop(self.known);
        self.events.into_iter().try_for_each(|Event { entry, quantity, place, values }| {
            collector.values(&entry, &quantity, values.into_iter(), &place)
        })
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut intervals = Intervals::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_content(line)) {
        let line: Line = json::read_line(line, index)?;
        let place = Place::line(index + 1);
        let (Some(value), Some(event)) = (&line.counter_value, &line.event) else {
            let metric = line.metric_unit.fact().unwrap_or_default();
            collector.skip(format!("skipped a metric without an event: {metric}"));
            continue;
        };
        let name = line.name();
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
        let (quantity, factor) = quantity(event, &line.unit);
        let value = value * factor;
        match (line.variance, line.interval) {
            (Some(_), _) => {
                let mean = (Statistic::Mean, value);
                collector.statistic(&Entry::new(name, 1), &quantity, mean, &place)?;
            }
            (None, Some(end)) => {
                // The time of another run begins at 0.
                if end < intervals.end {
                    std::mem::take(&mut intervals).finish(collector)?;
                }
                intervals.end = end;
                let key = [name.clone(), event.clone(), line.unit.clone()];
                let at = *intervals.known.entry(key).or_insert(intervals.events.len());
                if at == intervals.events.len() {
                    let values = Vec::with_capacity(1);
                    intervals.events.push(Event { entry: Entry::new(name, 1), quantity, place, values });
                }
                intervals.events[at].values.push(value);
            }
            (None, None) => collector.value(&Entry::new(name, 1), &quantity, value, &place)?,
        }
    }
    intervals.finish(collector)
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
