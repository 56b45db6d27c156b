//! Prints a report with a summary of three lines: the fastest transport, those tied with it and the slowest, and what was
//! disturbed. Only transports with the same message, traffic and placement are compared.

use crate::format::nanoseconds;
use crate::output;
use crate::table::{self, Style};
use indexmap::IndexMap;
use roundtrip_stats::comparison::{self, CONFIDENCE_PPM, Case};
use roundtrip_stats::interval;
use roundtrip_stats::verdict::{Rule, Verdict};
use roundtrip_wire::{CaseResult, RunReport};

/// A case whose p50 is less certain is noisy.
const NOISY_SHARE: f64 = 0.1;

/// Names in one list; the report has all.
const NAMES_MAX: usize = 3;

/// One transport among others that are comparable with it.
struct Entry {
    name: String,
    p50_ns: u64,
    /// The p50 of each repetition.
    p50s_ns: Vec<u64>,
}

/// Entries that are comparable, the fastest first.
struct Group {
    title: String,
    entries: Vec<Entry>,
}

/// The tables of a report, and a summary of three lines.
pub(crate) fn render(report: &RunReport, style: Style<'_>) -> crate::Result<String> {
    let mut text = table::render(report, style)?;
    text.push('\n');
    text.extend(lines(report)?.into_iter().map(|line| output::wrapped(&line, 0, style.width) + "\n"));
    Ok(text)
}

/// The lines; none for imported results, which have different units of work.
fn lines(report: &RunReport) -> crate::Result<Vec<String>> {
    if report.results.iter().all(|result| result.case.benchmark.is_some()) {
        return Ok(Vec::new());
    }
    let mut noisy = Vec::new();
    for result in &report.results {
        if is_noisy(&table::p50s_ns(result)?) {
            noisy.push(table::name(result));
        }
    }
    Ok(speed(&groups(report)?).into_iter().chain([disturbed(&report.results, noisy)]).collect())
}

/// Groups of two or more transports; without one, all cases in one group.
fn groups(report: &RunReport) -> crate::Result<Vec<Group>> {
    let (mut groups, mut cases): (IndexMap<String, Vec<Entry>>, _) = (IndexMap::new(), Vec::new());
    for (title, results) in table::groups(report) {
        for result in
            results.into_iter().filter(|result| result.case.messages.is_none() && !result.is_lossy())
        {
            let Some(all) = table::merged(&result.repetitions)? else { continue };
            let (p50_ns, p50s_ns) = (all.quantile_ns(500_000), table::p50s_ns(result)?);
            let entry = |name| Entry { name, p50_ns, p50s_ns: p50s_ns.clone() };
            let group = groups.entry(format!("{}, {title}", table::message(result))).or_default();
            group.push(entry(table::transport_name(result)));
            cases.push(entry(table::name(result)));
        }
    }
    groups.retain(|_, entries| entries.len() > 1);
    if groups.is_empty() && !cases.is_empty() {
        groups.insert(String::new(), cases);
    }
    let sorted = |(title, mut entries): (String, Vec<Entry>)| {
        entries.sort_by_key(|entry| entry.p50_ns);
        Group { title, entries }
    };
    Ok(groups.into_iter().map(sorted).collect())
}

/// The fastest transport: the one that is first in most groups; and the others of its first group.
fn speed(groups: &[Group]) -> Vec<String> {
    let first = |group: &Group| group.entries.first().map_or(String::new(), |entry| entry.name.clone());
    let wins = |name: &str| groups.iter().filter(|group| first(group) == name).count();
    // The first of several with as many groups.
    let best = groups.iter().rev().max_by_key(|group| wins(&first(group)));
    let Some(Group { entries, .. }) = best else { return vec!["Fastest: no results".into()] };
    let name = entries[0].name.clone();
    // The smallest message comes first.
    let Some(Group { title, entries }) = groups.iter().find(|group| first(group) == name) else {
        return Vec::new();
    };
    let (fastest, rest) = (&entries[0], &entries[1..]);
    let p50 = nanoseconds(fastest.p50_ns);
    let (line, there) = match groups.len() {
        1 => (format!("Fastest: {name}, p50 {p50}"), ""),
        count => {
            (format!("Fastest: {name} in {} of {count} groups; {title}: p50 {p50}", wins(&name)), " there")
        }
    };
    let Some(slowest) = rest.last() else { return vec![line] };
    let tied = tied(fastest, rest);
    let slowest = format!(
        "{}, p50 {} ({:.1} x)",
        slowest.name,
        nanoseconds(slowest.p50_ns),
        slowest.p50_ns as f64 / fastest.p50_ns.max(1) as f64
    );
    vec![line, format!("Tied{there}: {tied}; slowest: {slowest}")]
}

/// The entries that are not significantly slower than the fastest.
fn tied(fastest: &Entry, rest: &[Entry]) -> String {
    let rule = Rule::default();
    let needed = rule.repetitions_needed(rest.len());
    if rest.iter().chain([fastest]).any(|entry| entry.p50s_ns.len() < needed) {
        return format!("unknown (needs {needed} repetitions)");
    }
    let times = |entry| [&fastest.p50s_ns, entry].map(Vec::as_slice);
    let cases = rest.iter().map(|entry| Some(Case { p50s_ns: times(&entry.p50s_ns), ..Case::default() }));
    let cases: Vec<Option<Case<'_>>> = cases.collect();
    let compared = comparison::compare(&rule, &cases);
    let is_slower = |compared: &Option<comparison::Compared>| {
        compared.as_ref().is_some_and(|compared| compared.verdict == Verdict::Regressed)
    };
    let tied = rest.iter().zip(&compared).filter(|(_, compared)| !is_slower(compared));
    let names: Vec<String> = tied.map(|(entry, _)| entry.name.clone()).collect();
    if names.is_empty() { "none".into() } else { listed(&names) }
}

/// Whether the 95 % interval of the p50 is wider than [`NOISY_SHARE`] on each side.
fn is_noisy(p50s_ns: &[u64]) -> bool {
    let interval = interval::median(p50s_ns, CONFIDENCE_PPM);
    interval.is_some_and(|found| (found.high - found.low) as f64 / 2.0 > found.median as f64 * NOISY_SHARE)
}

/// Disturbed, noisy, failed and unsupported cases.
fn disturbed(results: &[CaseResult], noisy: Vec<String>) -> String {
    let named = |is_one: fn(&CaseResult) -> bool| -> Vec<String> {
        results.iter().filter(|result| is_one(result)).map(table::name).collect()
    };
    let is_disturbed = |result: &CaseResult| {
        let has_results = !result.repetitions.is_empty();
        has_results
            && (!result.failures.is_empty() || result.repetitions.iter().any(|one| !one.disturbed.is_empty()))
    };
    let part = |what: &str, names: Vec<String>| match names.len() {
        0 => None,
        count => Some(format!("{what} {count} of {} cases ({})", results.len(), listed(&names))),
    };
    let parts = [
        part("Disturbed:", named(is_disturbed)),
        part("Noisy:", noisy),
        part("Failed:", named(table::is_failed)),
        part("Unsupported:", named(|result| result.unsupported.is_some())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { format!("Disturbed: none of {} cases", results.len()) } else { parts.join(". ") }
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMES_MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, p50s_ns: &[u64]) -> Entry {
        Entry { name: name.into(), p50_ns: p50s_ns[0], p50s_ns: p50s_ns.to_vec() }
    }

    fn times(from_ns: u64) -> Vec<u64> {
        (0..10).map(|index| from_ns + index * 10).collect()
    }

    fn group(title: &str, entries: Vec<Entry>) -> Group {
        Group { title: title.into(), entries }
    }

    #[test]
    fn names_the_fastest_the_tied_and_the_slowest() {
        let entries =
            vec![entry("pipe", &times(4_000)), entry("fifo", &times(4_005)), entry("tcp", &times(12_000))];
        let lines = ["Fastest: pipe, p50 4 µs", "Tied: fifo; slowest: tcp, p50 12 µs (3.0 x)"];
        assert_eq!(speed(&[group("64 B, roundtrip", entries)]), lines);
        let few = vec![entry("pipe", &[4_000]), entry("tcp", &[12_000])];
        assert!(speed(&[group("", few)])[1].starts_with("Tied: unknown (needs "));
    }

    #[test]
    fn wide_interval_is_noisy() {
        assert!(is_noisy(&[100, 100, 100, 130, 130, 130]));
        assert!(!is_noisy(&[100, 100, 100, 110, 110, 110]));
        assert!(!is_noisy(&[100, 900]), "too few to know");
    }

    #[test]
    fn names_the_transport_that_is_first_most_often() {
        let pair =
            |first: &str, second: &str| vec![entry(first, &times(1_000)), entry(second, &times(2_000))];
        let groups = [
            group("1 B", pair("tcp", "pipe")),
            group("2 B", pair("pipe", "tcp")),
            group("3 B", pair("pipe", "tcp")),
        ];
        let lines = [
            "Fastest: pipe in 2 of 3 groups; 2 B: p50 1 µs",
            "Tied there: none; slowest: tcp, p50 2 µs (2.0 x)",
        ];
        assert_eq!(speed(&groups), lines);
    }
}
