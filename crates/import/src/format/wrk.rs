//! wrk and wrk2, their text, best with `--latency`.
//!
//! The latency is a summary: with `--latency` of the median and percentiles, without it of the mean. The rates and
//! errors are measures. The name is the address with the numbers of threads and connections.

use super::Reader;
use crate::Summary;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, cut};
use crate::quantity::{self, Quantity};
use crate::time::{self, Scale};

pub(super) const READER: Reader = Reader {
    slug: "wrk",
    title: "wrk (text)",
    detect: |probe| probe.lines().any(|line| address(line).is_some()),
    read,
};

/// The address in the first line of a run.
fn address(line: &str) -> Option<&str> {
    Some(line.strip_prefix("Running ")?.split_once(" test @ ")?.1.trim())
}

/// The most rates and counts of a run. wrk writes 7.
const FIGURES_MAX: usize = 100;

#[derive(Default)]
struct Run {
    name: String,
    place: Place,
    mean: Option<u64>,
    max: Option<u64>,
    quantiles: Vec<(u32, u64)>,
    figures: Vec<(Quantity, f64)>,
    /// Whether all requests failed: the latency is then 0.
    is_empty: bool,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut run: Option<Run> = None;
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some(address) = address(line) {
            if let Some(run) = run.take() {
                run.finish(collector)?;
            }
            run = Some(Run { name: address.to_owned(), place, ..Run::default() });
        } else if let Some(run) = &mut run {
            run.read_line(line.trim(), &place)?;
        }
    }
    run.map_or(Ok(()), |run| run.finish(collector))
}

/// Splits a number from its unit: `1.51ms`, `286.80KB`, `1.64k`.
fn with_unit<'a>(text: &'a str, place: &Place) -> Result<(f64, &'a str), Fault> {
    let (number, unit) =
        text.split_at(text.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(text.len()));
    let number =
        number.parse().map_err(|_| place.fault(format!("expected a number, found `{}`", cut(text, 40))))?;
    Ok((number, unit))
}

fn time(text: &str, place: &Place) -> Result<u64, Fault> {
    let (number, unit) = with_unit(text, place)?;
    let unit_ns = match unit {
        "m" => Some(60e9),
        "h" => Some(3_600e9),
        unit => time::unit_ns(unit),
    };
    let unit_ns =
        unit_ns.ok_or_else(|| place.fault(format!("expected a time, found `{}`", cut(text, 40))))?;
    Scale::per_one(unit_ns).time_at(number, || place.clone())
}

/// wrk counts 1,024 bytes as a kilobyte.
fn bytes(text: &str, place: &Place) -> Result<f64, Fault> {
    let (number, unit) = with_unit(text, place)?;
    let factor = unit.strip_suffix('B').and_then(|prefix| match prefix {
        "" => Some(1.0),
        prefix => quantity::prefix_factor(&format!("{prefix}i")),
    });
    let factor = factor.ok_or_else(|| place.fault(format!("expected bytes, found `{}`", cut(text, 40))))?;
    Ok(number * factor)
}

impl Run {
    fn read_line(&mut self, line: &str, place: &Place) -> Result<(), Fault> {
        let mut words = line.split_ascii_whitespace();
        match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
            (_, "threads") if line.ends_with(" connections") => self.name += &format!(" ({line})"),
            // The title of the distribution begins with the same word.
            ("Latency", mean) if mean.starts_with(|char: char| char.is_ascii_digit()) => {
                self.mean = Some(time(mean, place)?);
                self.max = words.nth(1).map(|max| time(max, place)).transpose()?;
            }
            ("Requests/sec:", rate) => {
                self.add(Quantity::rate("requests"), with_unit(rate, place)?.0, place)?;
            }
            ("Transfer/sec:", rate) => {
                self.add(Quantity::byte_rate("transfer"), bytes(rate, place)?, place)?;
            }
            ("0", "requests") => self.is_empty = true,
            ("Socket", "errors:") => {
                for error in line.trim_start_matches("Socket errors:").split(',') {
                    let (kind, count) = error.trim().rsplit_once(' ').unwrap_or((error, ""));
                    let quantity = Quantity::counter(&format!("{kind} errors"));
                    self.add(quantity, with_unit(count, place)?.0, place)?;
                }
            }
            ("Non-2xx", "or") => {
                let count = line.rsplit(' ').next().unwrap_or_default();
                let quantity = Quantity::counter("Non-2xx or 3xx responses");
                self.add(quantity, with_unit(count, place)?.0, place)?;
            }
            (percent, value) if percent.ends_with('%') => {
                let ppm = percent.trim_end_matches('%').parse().ok().and_then(time::ppm_of_percent);
                if let Some(ppm) = ppm {
                    self.quantiles.push((ppm, time(value, place)?));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, quantity: Quantity, value: f64, place: &Place) -> Result<(), Fault> {
        if self.figures.len() == FIGURES_MAX {
            return Err(place.fault(format!("expected at most {FIGURES_MAX} rates and counts of a run")));
        }
        self.figures.push((quantity, value));
        Ok(())
    }

    fn finish(self, collector: &mut Collector) -> Result<(), Fault> {
        let entry = collector.distinct(&Entry::new(self.name, 1));
        let summary = Summary::from_quantiles_or_mean(self.quantiles, self.mean);
        match summary.filter(|_| !self.is_empty) {
            Some(summary) => {
                collector.summary(&entry, Summary { max_ns: self.max, ..summary }, &self.place)?;
            }
            None => collector.skip(format!("{}: skipped, no latency: it failed", entry.name)),
        }
        for (quantity, value) in self.figures {
            collector.value(&entry, &quantity, value, &self.place)?;
        }
        Ok(())
    }
}
