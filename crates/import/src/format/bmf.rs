//! Bencher Metric Format: JSON of benchmarks, their measures, and a value of each with its bounds. A benchmark is an object
//! of measures, or a list of such objects with parameters, whose measures may also have quantiles (`p99`).
//!
//! Of the measures only `latency` is a time of an operation; the format's documentation fixes its unit, nanoseconds, and
//! those of `throughput`, `file-size` and `build-time`. Others have no unit. A file has no samples, so each benchmark is
//! a summary of one value.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::Outline;
use crate::json::{self, List, Loose, Members, visited};
use crate::quantity::Quantity;
use crate::time::Scale;
use crate::{BENCHMARKS_MAX, Statistic, Summary};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess};

pub(super) const READER: Reader = Reader {
    slug: "bmf",
    title: "Bencher Metric Format (JSON)",
    detect: |probe| {
        let benchmarks = probe.outline().members();
        let mut measures = benchmarks.iter().flat_map(|(_, benchmark)| measures(benchmark));
        let all = benchmarks.iter().all(|(_, benchmark)| is_benchmark(benchmark));
        all && measures.any(|measure| measure.has("value") || *measure == Outline::Unseen)
    },
    read,
};

/// The measures of a benchmark. In a list they are nested deeper than the outline reaches, so they are
/// missing.
fn measures(benchmark: &Outline) -> Vec<&Outline> {
    match benchmark {
        Outline::Array(rows) => rows.iter().filter_map(|row| row.get("measures")).collect(),
        _ => benchmark.members().iter().map(|(_, measure)| measure).collect(),
    }
}

/// Also true for the beginning of a benchmark, as in a truncated file.
fn is_benchmark(benchmark: &Outline) -> bool {
    let is_measure = |measure: &Outline| match measure {
        Outline::Unseen => true,
        Outline::Object(members) => {
            members.iter().all(|(name, _)| matches!(name.as_str(), "value" | "lower_value" | "upper_value"))
        }
        _ => false,
    };
    let is_row = |row: &Outline| {
        let members = row.members();
        let are_known = members.iter().all(|(name, _)| matches!(name.as_str(), "parameters" | "measures"));
        *row == Outline::Unseen || (are_known && !members.is_empty())
    };
    match benchmark {
        Outline::Unseen => true,
        Outline::Object(measures) => measures.iter().all(|(_, measure)| is_measure(measure)),
        Outline::Array(rows) => rows.iter().all(is_row),
        Outline::Scalar => false,
    }
}

type Measures = Members<Members<Loose, 100>, 1_000>;

#[derive(Debug)]
struct Benchmark(Vec<Row>);

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "an object")]
struct Row {
    #[serde(default)]
    parameters: Members<Loose, 100>,
    measures: Measures,
}

visited! { Benchmark, "an object", deserialize_any,
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Benchmark, A::Error> {
        let measures = Measures::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Benchmark(vec![Row { measures, ..Row::default() }]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Benchmark, A::Error> {
        List::<Row, BENCHMARKS_MAX>::deserialize(SeqAccessDeserializer::new(seq))
            .map(|list| Benchmark(list.0))
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let benchmarks: Members<Benchmark, BENCHMARKS_MAX> = json::read(text)?;
    for (name, Benchmark(rows)) in &benchmarks.0 {
        for Row { parameters, measures } in rows {
            let entry = collector.distinct(&Entry::new(with(name, parameters), 1_000));
            for (measure, metric) in &measures.0 {
                read_measure(&entry, measure, metric, collector)?;
            }
        }
    }
    Ok(())
}

fn read_measure(
    entry: &Entry,
    measure: &str,
    metric: &Members<Loose, 100>,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let quantity = match measure.to_ascii_lowercase().as_str() {
        "latency" => None,
        "throughput" => Some((Quantity::rate(measure), 1.0)),
        "file-size" => Some((Quantity::bytes(measure), 1.0)),
        "build-time" => Some((Quantity::time(measure).whole(), 1e9)),
        // Of Cachegrind and Callgrind: large whole numbers.
        "instructions" | "l1-hits" | "l2-hits" | "ram-hits" | "total-read-write" | "total-accesses"
        | "estimated-cycles" => Some((Quantity::counter(measure), 1.0)),
        _ => Some((Quantity::undirected(measure, ""), 1.0)),
    };
    let name = &entry.name;
    let at = format!("{name}.{measure}");
    let (entry, summary) = match &quantity {
        None => (entry.clone(), summary(metric, |value| Scale::per_thousand(1.0).time(value))),
        Some((quantity, factor)) => {
            (entry.of(quantity), summary(metric, |value| quantity.stored(value * factor)))
        }
    };
    match summary {
        Ok(Some(summary)) => collector.summary(&entry, summary, &Place::member(name)),
        Ok(None) => {
            collector.skip(format!("{at}: skipped; no value and no median"));
            Ok(())
        }
        // A time that cannot be stored is a mistake of the file; other values may only be too large.
        Err((member, problem)) if quantity.is_none() => {
            Err(Place::member(format!("{at}.{member}")).fault(problem))
        }
        Err((member, problem)) => {
            collector.skip(format!("{at}: skipped; {member}: {problem}"));
            Ok(())
        }
    }
}

/// The name with its parameters, ordered by parameter name: files list them in any order.
fn with(name: &str, parameters: &Members<Loose, 100>) -> String {
    let mut parameters: Vec<String> = parameters
        .0
        .iter()
        .filter_map(|(parameter, value)| Some(format!(" {parameter}={}", value.fact()?)))
        .collect();
    parameters.sort();
    format!("{name}{}", parameters.concat())
}

/// The summary of a metric, in stored values; `None` without a central value. The error has the name of the member.
fn summary<'a>(
    metric: &'a Members<Loose, 100>,
    stored: impl Fn(f64) -> Result<u64, String>,
) -> Result<Option<Summary>, (&'a str, String)> {
    let value = |(member, value): &'a (String, Loose)| {
        let number = value.number_or_nan().ok_or_else(|| "expected a number".to_owned());
        number.and_then(&stored).map_err(|problem| (member.as_str(), problem))
    };
    let stated = |wanted: &str| metric.0.iter().find(|(name, _)| name == wanted).map(value).transpose();
    let mut quantiles = Vec::new();
    for member in &metric.0 {
        if let Some(q_ppm) = quantile(&member.0) {
            quantiles.push((q_ppm, value(member)?));
        }
    }
    let (low_ns, high_ns) = (stated("lower_value")?, stated("upper_value")?);
    let summary = match stated("value")? {
        Some(value) => Some(Summary::new(Statistic::Value, value).with_quantiles(quantiles)),
        None => Summary::from_quantiles_or_mean(quantiles, None),
    };
    Ok(summary.map(|summary| Summary { low_ns, high_ns, ..summary }))
}

/// Parts per million: `p99` is 99 %, `p999` is 99.9 %.
fn quantile(member: &str) -> Option<u32> {
    let digits = member.strip_prefix('p').filter(|digits| (2..=6).contains(&digits.len()))?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    format!("{digits:0<6}").parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_quantile_names() {
        let named = ["p50", "p99", "p999", "p5", "p", "value", "p9x"].map(quantile);
        assert_eq!(named, [Some(500_000), Some(990_000), Some(999_000), None, None, None, None]);
    }
}
