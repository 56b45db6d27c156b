//! oha, `--output-format json` or `csv`.
//!
//! The output does not state the address, so all files have the benchmark `requests`. CSV lists every request: the
//! durations, in seconds, are the samples of one repetition. JSON has percentiles, which are a summary. The times to the
//! first byte and to connect, rates, statuses and errors are measures. Bins and rates of seconds describe the same
//! requests again, and are ignored.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, cut};
use crate::json::{self, Members, Number};
use crate::quantity::Quantity;
use crate::time;
use crate::{Summary, VALUES_MAX};
use roundtrip_wire::Better;
use serde::Deserialize;
use std::collections::BTreeMap;

pub(super) const READER: Reader = Reader {
    slug: "oha",
    title: "oha (JSON or CSV)",
    detect: |probe| {
        let file = probe.outline();
        let is_summary = file.get("summary").is_some_and(|summary| summary.has("requestsPerSec"));
        is_summary && file.has("responseTimeHistogram") || probe.lines().next() == Some(HEADER)
    },
    read,
};

const HEADER: &str = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status";
const NAME: &str = "requests";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct File {
    summary: Totals,
    #[serde(default)]
    latency_percentiles: Percentiles,
    #[serde(default)]
    first_byte_percentiles: Percentiles,
    #[serde(default)]
    details: Members<Detail, 100>,
    #[serde(default)]
    status_code_distribution: Members<Number, 1_000>,
    #[serde(default)]
    error_distribution: Members<Number, 1_000>,
}

/// Without any response, JSON has `null`.
type Percentiles = Members<Option<Number>, 100>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Totals {
    success_rate: Option<Number>,
    slowest: Option<Number>,
    fastest: Option<Number>,
    average: Option<Number>,
    requests_per_sec: Option<Number>,
    size_per_sec: Option<Number>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Detail {
    average: Option<Number>,
    fastest: Option<Number>,
    slowest: Option<Number>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    if text.lines().next() == Some(HEADER) { read_csv(text, collector) } else { read_json(text, collector) }
}

fn read_json(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let file: File = json::read(text)?;
    let entry = Entry::new(NAME, 1);
    let Totals { success_rate, slowest, fastest, average, requests_per_sec, size_per_sec } = file.summary;
    let place = Place::member("latencyPercentiles");
    let all = Detail { average, fastest, slowest };
    let whole_ns = Quantity::time("").whole();
    match summary(&all, &file.latency_percentiles, &whole_ns).map_err(|problem| place.fault(problem))? {
        Some(summary) => collector.summary(&entry, summary, &place)?,
        None => collector.skip("skipped the duration: no request succeeded"),
    }
    for (name, detail) in &file.details.0 {
        let none = Members::default();
        let percentiles = if name == "firstByte" { &file.first_byte_percentiles } else { &none };
        let (quantity, place) = (Quantity::time(name).whole(), Place::member(format!("details.{name}")));
        if let Some(summary) =
            summary(detail, percentiles, &quantity).map_err(|problem| place.fault(problem))?
        {
            collector.summary(&entry.of(&quantity), summary, &place)?;
        }
    }
    let figures = [
        (Quantity::rate("requests"), requests_per_sec),
        (Quantity::byte_rate("transfer"), size_per_sec),
        (Quantity::fine("success rate", "", Better::Higher), success_rate),
    ];
    collector.stated(&entry, figures, &Place::member("summary"))?;
    for (status, Number(count)) in &file.status_code_distribution.0 {
        collector.value(&entry, &of_status(status), *count, &Place::member("statusCodeDistribution"))?;
    }
    for (error, Number(count)) in &file.error_distribution.0 {
        let quantity = Quantity::counter(&format!("error: {error}"));
        collector.value(&entry, &quantity, *count, &Place::member("errorDistribution"))?;
    }
    Ok(())
}

/// The number of responses with a status.
fn of_status(status: &str) -> Quantity {
    let better = if status.starts_with('2') { Better::Higher } else { Better::Lower };
    Quantity::new(&format!("status {status}"), "", better).whole()
}

/// The statistics of times in seconds; `None` without a median and a mean.
fn summary(
    detail: &Detail,
    percentiles: &Percentiles,
    quantity: &Quantity,
) -> Result<Option<Summary>, String> {
    let stored =
        |number: Option<Number>| number.map(|Number(value)| quantity.stored(value * 1e9)).transpose();
    let mut quantiles = Vec::new();
    for (name, value) in &percentiles.0 {
        let percent = name.strip_prefix('p').and_then(|percent| percent.parse().ok());
        if let (Some(ppm), Some(value)) = (percent.and_then(time::ppm_of_percent), stored(*value)?) {
            quantiles.push((ppm, value));
        }
    }
    let (min_ns, max_ns) = (stored(detail.fastest)?, stored(detail.slowest)?);
    let summary = Summary::from_quantiles_or_mean(quantiles, stored(detail.average)?);
    Ok(summary.map(|summary| Summary { min_ns, max_ns, ..summary }))
}

fn read_csv(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let names: Vec<_> = HEADER.split(',').collect();
    let whole_ns = Quantity::time("").whole();
    // The columns from DNS to the duration. The others are the start and the size.
    let mut columns: [Vec<u64>; 4] = Default::default();
    let mut statuses: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().skip(1).take(VALUES_MAX) {
        let place = Place::line(index + 1);
        let fields: Vec<_> = line.splitn(names.len() + 1, ',').collect();
        if fields.len() != names.len() {
            return Err(place.fault(format!("expected {} fields, found {}", names.len(), fields.len())));
        }
        for ((field, name), column) in fields[1..5].iter().zip(&names[1..]).zip(&mut columns) {
            let place = || place.with_member(name);
            let expected = |_| place().fault(format!("expected a number, found `{}`", cut(field, 40)));
            let seconds: f64 = field.parse().map_err(expected)?;
            column.push(whole_ns.stored(seconds * 1e9).map_err(|problem| place().fault(problem))?);
        }
        *statuses.entry(fields[6]).or_default() += 1;
    }
    let entry = Entry::new(NAME, 1);
    let place = Place::line(1);
    let [dns, dial_up, first_byte, durations] = columns;
    collector.samples(&entry, durations, &place)?;
    for (name, values) in [("DNSLookup", dns), ("DNSDialup", dial_up), ("firstByte", first_byte)] {
        let quantity = Quantity::time(name).whole();
        collector.samples(&entry.of(&quantity), values, &place)?;
    }
    for (status, count) in statuses {
        collector.value(&entry, &of_status(status), f64::from(count), &place)?;
    }
    Ok(())
}
