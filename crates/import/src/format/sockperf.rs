//! sockperf, the text of the client.
//!
//! Percentiles and the mean, in microseconds, are a summary. Without `--full-rtt`, sockperf states half of the round
//! trip as the latency. The rates of `throughput` and the counts of lost messages are measures. The text does not state
//! the mode and the message size, so only the protocol is in the name.

use super::Reader;
use crate::Summary;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json;
use crate::quantity::Quantity;
use crate::time::{self, Scale, number};

pub(super) const READER: Reader = Reader {
    slug: "sockperf",
    title: "sockperf (text)",
    detect: |probe| probe.lines().any(|line| line.starts_with("sockperf: ")),
    read,
};

/// sockperf's megabyte.
const MEBIBYTE: f64 = 1_048_576.0;

/// The most rates and counts for one server. sockperf writes 5.
const FIGURES_MAX: usize = 100;

/// The results for one server.
#[derive(Default)]
struct Results {
    /// The measured time: `Latency` or `Round trip`.
    time: Option<String>,
    mean: Option<u64>,
    min: Option<u64>,
    max: Option<u64>,
    quantiles: Vec<(u32, u64)>,
    count: Option<u64>,
    figures: Vec<(Quantity, f64)>,
    /// The line of the first figure.
    place: Place,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut protocol = "unknown protocol".to_owned();
    let mut results = Results::default();
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        let line = without_colours(line);
        if let Some((_, version)) = line.split_once("== version #") {
            std::mem::take(&mut results).finish(&protocol, collector)?;
            collector.fact("tool_version", version.split(' ').next());
        } else if line.contains("Printing statistics for Server No:") {
            std::mem::take(&mut results).finish(&protocol, collector)?;
        } else if let Some((_, named)) =
            line.split_once(" PORT = ").and_then(|(_, port)| port.split_once("# "))
        {
            named.trim().clone_into(&mut protocol);
        } else if let Some(line) = line.strip_prefix("sockperf: ") {
            results.read_line(line, &place)?;
        }
    }
    results.finish(&protocol, collector)
}

/// A line without the sequences that colour it on a terminal.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    text
}

fn microseconds(text: &str, place: &Place) -> Result<u64, Fault> {
    Scale::per_one(1e3).time_at(number(text, place)?, || place.clone())
}

impl Results {
    fn read_line(&mut self, line: &str, place: &Place) -> Result<(), Fault> {
        let before =
            |text: &str| -> Result<f64, Fault> { number(text.split(' ').next().unwrap_or_default(), place) };
        if let Some(figure) = line.strip_prefix("---> percentile ") {
            let (percent, value) = figure.split_once('=').unwrap_or((figure, ""));
            let ppm = time::ppm_of_percent(number(percent, place)?).ok_or_else(|| {
                place.fault(format!("expected a percentile of 0 to 100, found {}", percent.trim()))
            })?;
            self.quantiles.push((ppm, microseconds(value, place)?));
        } else if let Some((_, value)) = line.split_once("<MAX> observation =") {
            self.max = Some(microseconds(value, place)?);
        } else if let Some((_, value)) = line.split_once("<MIN> observation =") {
            self.min = Some(microseconds(value, place)?);
        } else if let Some(count) = line.strip_prefix("Total ").filter(|line| line.contains(" observations"))
        {
            self.count = json::whole(before(count)?);
        } else if let Some((name, value)) =
            line.strip_prefix("Summary: ").and_then(|figure| figure.split_once(" is "))
        {
            self.place = place.clone();
            let value = before(value)?;
            match name {
                "Message Rate" => self.add(Quantity::rate("message rate"), value, place)?,
                "BandWidth" => self.add(Quantity::byte_rate("bandwidth"), value * MEBIBYTE, place)?,
                _ => {
                    self.time = Some(name.to_owned());
                    self.mean = Some(Scale::per_one(1e3).time_at(value, || place.clone())?);
                }
            }
        } else if line.contains("# dropped messages = ") {
            for figure in line.split(';') {
                let (name, value) = figure.split_once('=').unwrap_or((figure, ""));
                let name = name.trim_start_matches([' ', '#']).trim_end();
                self.add(Quantity::counter(name), number(value, place)?, place)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, quantity: Quantity, value: f64, place: &Place) -> Result<(), Fault> {
        if self.figures.len() == FIGURES_MAX {
            return Err(place.fault(format!("expected at most {FIGURES_MAX} rates and counts for a server")));
        }
        self.figures.push((quantity, value));
        Ok(())
    }

    fn finish(self, protocol: &str, collector: &mut Collector) -> Result<(), Fault> {
        let summary = Summary::from_quantiles_or_mean(self.quantiles, self.mean);
        if summary.is_none() && self.figures.is_empty() {
            return Ok(());
        }
        let what = self.time.unwrap_or_else(|| "throughput".into()).to_lowercase();
        let entry = collector.distinct(&Entry::new(format!("{protocol} {what}"), 1));
        if let Some(summary) = summary {
            let summary = Summary { min_ns: self.min, max_ns: self.max, count: self.count, ..summary };
            collector.summary(&entry, summary, &self.place)?;
        }
        for (quantity, value) in self.figures {
            collector.value(&entry, &quantity, value, &self.place)?;
        }
        Ok(())
    }
}
