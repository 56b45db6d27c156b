//! Rankings of transports and libraries: as a server returns them, or computed from a report.

use crate::format::{bytes, counted, nanoseconds, percent, whole};
use crate::table;
use roundtrip_advisor::{Figure, Line, Measured, ranking};
use roundtrip_wire::size_profile::SizeHistogram;
use roundtrip_wire::{CaseResult, RunReport, Slug, TransportInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The parts of a server's answer that people read.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Advice {
    pub(crate) assumptions: Vec<String>,
    pub(crate) groups: Vec<Group>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Group {
    pub(crate) machine: String,
    pub(crate) case: BTreeMap<String, String>,
    pub(crate) oversubscribed: bool,
    pub(crate) answer: String,
    pub(crate) ranking: Vec<Ranked>,
    pub(crate) not_ranked: Vec<Unranked>,
    pub(crate) crossovers: Vec<Crossover>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Ranked {
    pub(crate) transport: TransportInfo,
    pub(crate) latency_ns: Latency,
    pub(crate) cpu_ns_per_message: Option<f64>,
    pub(crate) wakes_per_message: Option<f64>,
    pub(crate) cpus: Option<f64>,
    pub(crate) wakes_per_second: Option<f64>,
    pub(crate) behind_first: Option<Behind>,
    pub(crate) below_measured_share: f64,
}

impl Ranked {
    /// Whether it is not significantly slower than the first.
    pub(crate) fn is_tied(&self) -> bool {
        self.behind_first.as_ref().is_some_and(|behind| !behind.is_sure)
    }
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Latency {
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p98: f64,
    pub(crate) p99: f64,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Behind {
    pub(crate) ratio: f64,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) is_sure: bool,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Unranked {
    pub(crate) transport: TransportInfo,
    pub(crate) because: String,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Crossover {
    pub(crate) below: usize,
    pub(crate) above: usize,
    pub(crate) x: u64,
    pub(crate) from: Option<u64>,
    pub(crate) to: Option<u64>,
}

/// What to rank.
pub(crate) struct Wanted<'a> {
    pub(crate) sizes: &'a SizeHistogram,
    pub(crate) by: Figure,
    /// Messages per second.
    pub(crate) rate: Option<f64>,
    pub(crate) mode: Option<&'a Slug>,
    pub(crate) placement: Option<&'a Slug>,
    /// Whether to rank a transport.
    pub(crate) accepts: &'a dyn Fn(&Slug) -> bool,
}

/// Results that can be compared: mode, placement, and whether there were more threads than CPUs.
type GroupKey = (Slug, Slug, bool);

/// The groups of a report, in the order of mode and placement.
///
/// # Errors
/// If a distribution is invalid.
pub(crate) fn groups(report: &RunReport, wanted: &Wanted<'_>) -> crate::Result<Vec<Group>> {
    let mut groups: BTreeMap<GroupKey, BTreeMap<String, Vec<&CaseResult>>> = BTreeMap::new();
    for result in report.results.iter().filter(|result| wanted.includes(result)) {
        let case = &result.case;
        let key = (case.mode.clone(), case.placement.clone(), result.oversubscribed);
        groups.entry(key).or_default().entry(table::transport_name(result)).or_default().push(result);
    }
    groups.into_iter().map(|(key, transports)| group(report, key, transports, wanted)).collect()
}

impl Wanted<'_> {
    fn includes(&self, result: &CaseResult) -> bool {
        let CaseResult { case, methodology, .. } = result;
        let is_chosen = |wanted: Option<&Slug>, slug: &Slug| wanted.is_none_or(|wanted| wanted == slug);
        case.scenario.as_str() == "roundtrip"
            && methodology.window == 1
            && methodology.probe.is_none()
            && case.size_profile.is_none()
            && case.buffer_bytes.is_none()
            && !result.repetitions.is_empty()
            && is_chosen(self.mode, &case.mode)
            && is_chosen(self.placement, &case.placement)
            && (self.accepts)(&result.transport.slug)
    }
}

fn group(
    report: &RunReport,
    (mode, placement, oversubscribed): GroupKey,
    transports: BTreeMap<String, Vec<&CaseResult>>,
    wanted: &Wanted<'_>,
) -> crate::Result<Group> {
    let (mut lines, mut ranked, mut not_ranked) = (Vec::new(), Vec::new(), Vec::new());
    for results in transports.into_values() {
        match line(&results, wanted.by)? {
            Ok(line) => {
                lines.push(line);
                ranked.push(results);
            }
            Err(because) => not_ranked.push(Unranked { transport: results[0].transport.clone(), because }),
        }
    }
    let found = ranking::rank(&lines, wanted.sizes, wanted.by);
    not_ranked.extend(found.not_ranked.iter().map(|&(place, share)| Unranked {
        transport: ranked[place][0].transport.clone(),
        because: format!(
            "Measured up to {} only, but {} of the messages are longer (limit: {}).",
            bytes(lines[place].measured_bytes()[1]),
            percent(share),
            percent(ranking::LEFT_OUT_MAX)
        ),
    }));
    let entry =
        |entry: &ranking::Ranked| in_table(&ranked[entry.line], entry, &lines[entry.line], wanted.rate);
    let ranking: Vec<Ranked> = found.ranked.iter().map(entry).collect();
    let case = [("mode", mode), ("placement", placement)];
    Ok(Group {
        machine: report.machine.slug.to_string(),
        case: case.map(|(name, value)| (name.to_owned(), value.to_string())).into(),
        oversubscribed,
        answer: answer(&ranking, wanted.by),
        ranking,
        not_ranked,
        crossovers: Vec::new(),
    })
}

/// The measured sizes of a transport, or why it cannot be ranked.
fn line(results: &[&CaseResult], by: Figure) -> crate::Result<Result<Line, String>> {
    if results.iter().any(|result| result.is_lossy()) {
        return Ok(Err("It lost messages.".into()));
    }
    let batch = results.iter().map(|result| result.methodology.batch).max().unwrap_or(1);
    if let Some(because) = by.unknown_in_batches(batch) {
        return Ok(Err(because));
    }
    let mut measured = Vec::new();
    for result in results {
        let Some(distribution) = table::merged(&result.repetitions)? else { continue };
        let quantile = |repetition| Ok(table::decode(repetition)?.quantile_ns(by.repetition_ppm()));
        let repetitions_ns = result.repetitions.iter().map(quantile).collect::<crate::Result<_>>()?;
        measured.push(Measured { message_bytes: result.case.message_bytes, distribution, repetitions_ns });
    }
    Ok(Line::new(&measured, by.repetition_ppm()).ok_or_else(|| "It was not measured.".into()))
}

fn in_table(results: &[&CaseResult], ranked: &ranking::Ranked, line: &Line, rate: Option<f64>) -> Ranked {
    let expected = |of: fn(&CaseResult) -> Option<f64>| {
        ranked.mixture.expected_cost(line, |bytes| {
            of(results.iter().find(|result| result.case.message_bytes == bytes)?)
        })
    };
    let cpu_ns = expected(|result| Some(result.cpu_ns_per_message()? as f64));
    let wakes = expected(|result| Some(result.wakes_per_1000_messages()? as f64 / 1_000.0));
    let mixture = &ranked.mixture;
    Ranked {
        transport: results[0].transport.clone(),
        latency_ns: Latency {
            mean: mixture.mean_ns,
            p50: mixture.p50_ns,
            p98: mixture.p98_ns,
            p99: mixture.p99_ns,
        },
        cpu_ns_per_message: cpu_ns,
        wakes_per_message: wakes,
        cpus: cpu_ns.zip(rate).map(|(ns, rate)| ns * rate / 1e9),
        wakes_per_second: wakes.zip(rate).map(|(wakes, rate)| wakes * rate),
        behind_first: ranked.behind.map(|behind| {
            let [low, high] = behind.interval.map_or([None; 2], |ends| ends.map(Some));
            Behind { ratio: behind.ratio, low, high, is_sure: behind.is_sure() }
        }),
        below_measured_share: mixture.below_share(),
    }
}

/// The fastest transport, and how many are tied with it.
fn answer(ranking: &[Ranked], by: Figure) -> String {
    let Some(first) = ranking.first() else {
        return "No transport has results for these sizes and needs.".into();
    };
    let Latency { mean, p50, p98, p99 } = first.latency_ns;
    let (name, ns) = match by {
        Figure::Mean => ("mean", mean),
        Figure::P50 => ("median", p50),
        Figure::P98 => ("p98", p98),
        Figure::P99 => ("p99", p99),
    };
    let fastest = format!("Fastest: {}, {name} round trip {}.", first.transport.slug, nanoseconds(whole(ns)));
    match ranking.iter().filter(|ranked| ranked.is_tied()).count() {
        0 => fastest,
        tied => format!("{fastest} Statistically tied: {}.", counted(tied, "transport")),
    }
}
