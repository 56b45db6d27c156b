//! The report as text: one table for each traffic and placement, with percentiles, the shape of the
//! distribution and delivery counts.

use crate::failure::Failure;
use crate::format::{bytes, count, half_width, nanoseconds, percent, value_of};
use crate::output;
use clap::builder::styling::AnsiColor;
use indexmap::{IndexMap, IndexSet};
use roundtrip_import::Repetitions;
use roundtrip_stats::comparison::CONFIDENCE_PPM;
use roundtrip_stats::{Distribution, Quartiles, interval};
use roundtrip_wire::{
    CaseResult, EndObservation, ProgramOrigin, Repetition, RunReport, Slug, Summary, SystemCalls,
};
use std::collections::{BTreeMap, BTreeSet};

/// The command and the place of each declared program by its transport, as in `./bin/mq, ipc.toml:12`.
pub(crate) type Places = BTreeMap<Slug, String>;

/// How to print a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style<'a> {
    /// Columns are left out if they do not fit; the others use the width.
    pub(crate) width: u16,
    pub(crate) coloured: bool,
    /// The programs to name next to failures.
    pub(crate) programs: &'a Places,
}

impl<'a> Style<'a> {
    /// For standard output.
    pub(crate) fn of_output(programs: &'a Places) -> Self {
        Self { width: output::terminal_width(), coloured: output::is_coloured(), programs }
    }
}

/// The tables of a report.
pub(crate) fn render(report: &RunReport, style: Style<'_>) -> crate::Result<String> {
    let mut text = output::wrapped(heading(report).trim_end(), 0, style.width) + "\n";
    for (title, results) in groups(report) {
        let title = output::wrapped(&title, 0, style.width);
        text.push_str(&format!("\n{title}\n{}\n", table(&results, style)?));
    }
    Ok(text)
}

/// Whether a case has no results because it failed.
pub(crate) fn is_failed(result: &CaseResult) -> bool {
    result.repetitions.is_empty() && result.summary.is_none() && result.unsupported.is_none()
}

/// The results of a report by table, with the title of each.
pub(crate) fn groups(report: &RunReport) -> IndexMap<String, Vec<&CaseResult>> {
    let mut groups: IndexMap<_, Vec<_>> = IndexMap::new();
    for result in &report.results {
        groups.entry(title(result, &report.results)).or_default().push(result);
    }
    groups
}

pub(crate) fn describe(result: &CaseResult) -> String {
    format!("{}: {}", title(result, &[]), name(result))
}

pub(crate) fn title(result: &CaseResult, all: &[CaseResult]) -> String {
    let case = &result.case;
    if case.benchmark.is_some() {
        return imported_title(result);
    }
    let mut title = case.scenario.to_string();
    if let Some(messages) = case.messages {
        title.push_str(&format!(" of {} messages", count(messages)));
    }
    if let Some(rate) = case.rate_per_second {
        title.push_str(&format!(" at {}/s", count(rate)));
    }
    // The total of a single message equals its size, so it is shown only in a sweep of smaller sizes.
    let is_swept = |total: u64| {
        let mut others = all.iter().map(|other| &other.case).filter(|other| other.scenario == case.scenario);
        others.any(|other| other.total_bytes == Some(total) && other.message_bytes < total)
    };
    if let Some(total) = case.total_bytes.filter(|&total| is_swept(total)) {
        let unit = if case.scenario.as_str() == "handle-passing" { count } else { bytes };
        title.push_str(&format!(" of {}", unit(total)));
    }
    if result.methodology.window > 1 {
        title.push_str(&format!(", {} in flight", count(u64::from(result.methodology.window))));
    }
    title.push_str(&format!(", {}, {}", case.mode, case.placement));
    if case.size_profile.is_some() {
        title.push_str(", sizes sampled from a profile");
    }
    match case.buffer_bytes {
        Some(buffer) if buffer == case.message_bytes => {
            title.push_str(", kernel buffers of the message size");
        }
        Some(buffer) => title.push_str(&format!(", kernel buffers of {}", bytes(buffer))),
        None => {}
    }
    if let Some(probe) = &result.methodology.probe {
        title.push_str(&format!(", with probe {probe}"));
    }
    title
}

/// As in `at 0123456`.
pub(crate) fn revision(report: &RunReport) -> String {
    match &report.commit {
        commit if commit.is_absent() => "without a commit".into(),
        commit => format!("at {}", commit.sha.short()),
    }
}

/// Why a report may not describe its commit.
pub(crate) fn modified(report: &RunReport) -> &'static str {
    match report.work_tree_modified && !report.commit.is_absent() {
        true if unbuilt(report).is_empty() => ", with uncommitted changes",
        true => ", unbuilt: measured as found",
        false => "",
    }
}

/// The programs that may not come from the commit.
fn unbuilt(report: &RunReport) -> Vec<&str> {
    let found = report.programs.iter().filter(|program| program.origin == ProgramOrigin::Found);
    let mut names: Vec<&str> = found.map(|program| program.transport.as_str()).collect();
    names.dedup();
    names
}

fn heading(report: &RunReport) -> String {
    let (project, machine) = (&report.project, &report.machine.slug);
    let (revision, modified) = (revision(report), modified(report));
    if report.results.iter().all(|result| result.case.benchmark.is_some()) {
        return format!("{project} {revision}{modified}, imported on {machine}\n");
    }
    let fact = |key: &str| report.environment.stable.get(key).map_or("unknown", String::as_str);
    let clock = report.canaries.iter().find(|canary| canary.slug.as_str() == "clock-cost");
    let cost =
        clock.and_then(|canary| canary.p50_ns).map_or("cost unknown".into(), |ns| format!("cost {ns} ns"));
    let build = if report.suite.build.as_str() == "debug" {
        "\nDebug build: do not compare these results."
    } else {
        ""
    };
    let unbuilt = if unbuilt(report).is_empty() {
        String::new()
    } else {
        format!(
            "\nTrends exclude this run: {} may not come from the commit. Commit all changes and new files, and \
             build it with `build` in roundtrip.toml.",
            unbuilt(report).join(", ")
        )
    };
    format!(
        "{project} {revision}{modified} on {machine} ({} {}, {}; clock {cost}){build}{unbuilt}\n",
        report.machine.os,
        fact("os.kernel"),
        fact("cpu.model"),
    )
}

pub(crate) fn name(result: &CaseResult) -> String {
    let CaseResult { transport, case, methodology, .. } = result;
    match case.messages {
        _ if case.benchmark.is_some() => imported_name(result),
        None => format!("{} {}", transport_name(result), message(result)),
        Some(_) => format!(
            "{} {} to {}, {}, wake {}, {} when full, {}",
            transport.slug,
            case.senders.unwrap_or(1),
            case.peers,
            methodology.receive,
            methodology.wake.as_ref().map_or("never", |wake| wake.as_str()),
            methodology.on_full,
            methodology.storage
        ),
    }
}

/// One line for each reason why cases of a transport cannot run here.
fn unsupported(results: &[&CaseResult]) -> Vec<String> {
    let mut found: IndexMap<(&str, &Slug), Vec<&CaseResult>> = IndexMap::new();
    for result in results {
        if let Some(reason) = result.unsupported.as_deref() {
            found.entry((reason, &result.transport.slug)).or_default().push(result);
        }
    }
    let line = |((reason, slug), cases): ((&str, &Slug), Vec<&CaseResult>)| match cases[..] {
        [only] => format!("{}: unsupported: {reason}", name(only)),
        _ => format!("{slug}, {} cases: unsupported: {reason}", cases.len()),
    };
    found.into_iter().map(line).collect()
}

fn facts(results: &[&CaseResult]) -> BTreeSet<String> {
    let lines = results.iter().filter(|result| !result.facts.is_empty()).map(|result| {
        let facts: Vec<String> = result.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("{}: {}", transport_name(result), facts.join(", "))
    });
    lines.collect()
}

fn table(results: &[&CaseResult], style: Style<'_>) -> crate::Result<String> {
    let (mut rows, mut failures, mut notes) = (Vec::new(), Vec::new(), unsupported(results));
    for result in results.iter().filter(|result| result.unsupported.is_none()) {
        let name = name(result);
        match row(result)? {
            Ok(cells) => {
                rows.push(cells);
                notes.extend(watched_lines(result).into_iter().map(|line| format!("{name}, {line}")));
            }
            Err(note) => failures.push(failure(&name, &note, result, style)),
        }
    }
    notes.extend(facts(results).into_iter().chain(sweep_lines(results)).chain(unavailable(results)));
    let mut parts = Vec::new();
    if !rows.is_empty() {
        let (table, common) = fitted(header(results.first()), rows, style.width);
        parts.push(table);
        notes.extend(common);
    }
    parts.extend(failures);
    parts.extend(notes.iter().map(|note| output::wrapped(note, 1, style.width)));
    Ok(parts.join("\n"))
}

/// A line on a failed case. Not wrapped, because it may have a path to copy.
fn failure(name: &str, note: &str, result: &CaseResult, style: Style<'_>) -> String {
    let program = style.programs.get(&result.transport.slug);
    let place = program.map_or(String::new(), |place| format!(" ({place})"));
    let line = format!(" {name}: {note}{place}");
    output::styled(&line, AnsiColor::Red.on_default(), style.coloured)
}

/// Columns that go below a table that is too wide, in this order, if all rows have the same value.
const COMMON: [&str; 5] = ["storage", "when full", "wakes", "waits", "delivered"];
/// Columns that a table leaves out if it is still too wide, in this order.
const LEFT_OUT: [&str; 5] = ["p98", "max", "distribution", "p99", "bar"];

/// A table without empty columns that fits the width, and a note on the values that all rows share.
pub(crate) fn fitted(
    mut header: Vec<&str>,
    mut rows: Vec<Vec<String>>,
    width: u16,
) -> (String, Option<String>) {
    fn without(header: &mut Vec<&str>, rows: &mut [Vec<String>], place: usize) {
        header.remove(place);
        rows.iter_mut().for_each(|row| _ = row.remove(place));
    }
    for place in (0..header.len()).rev() {
        if rows.iter().all(|row| row[place].is_empty()) {
            without(&mut header, &mut rows, place);
        }
    }
    let laid_out = |header: &[&str], rows: &[Vec<String>]| {
        output::table(header.to_vec(), rows.to_vec(), |place| is_number(header[place]))
    };
    let fits = |text: &str| text.lines().all(|line| line.chars().count() <= usize::from(width));
    let (mut text, mut common) = (laid_out(&header, &rows), Vec::new());
    let candidates = COMMON.map(|name| (name, true)).into_iter().chain(LEFT_OUT.map(|name| (name, false)));
    for (name, is_common) in candidates {
        if fits(&text) {
            break;
        }
        let Some(place) = header.iter().position(|other| *other == name) else { continue };
        let value = rows[0][place].clone();
        if is_common && rows.iter().any(|row| row[place] != value) {
            continue;
        }
        common.extend(is_common.then(|| format!("{name} {value}")));
        without(&mut header, &mut rows, place);
        text = laid_out(&header, &rows);
    }
    let note = (!common.is_empty()).then(|| format!("all rows: {}", common.join(", ")));
    (text, note)
}

// A distribution as a row of blocks.

const SHAPE_WIDTH: u32 = 16;

/// The distribution from its minimum to p99.9 on a logarithmic axis; higher blocks are more frequent.
fn shape(all: &Distribution) -> String {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (first, last) = (all.min_ns().max(1) as f64, all.quantile_ns(999_000).max(2) as f64);
    let span = (last / first).log2().max(0.05);
    let mut columns = vec![0_u64; SHAPE_WIDTH as usize];
    for (from, to, count) in all.log_bins(64).into_iter().filter(|&(from, ..)| from as f64 <= last) {
        let middle = ((from.max(1) as f64 * to.max(1) as f64).sqrt() / first).log2() / span;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and capped"
        )]
        let column = (middle * f64::from(SHAPE_WIDTH)).max(0.0) as usize;
        columns[column.min(SHAPE_WIDTH as usize - 1)] += count;
    }
    let highest = columns.iter().copied().max().unwrap_or(0).max(1);
    columns
        .into_iter()
        .map(|count| {
            // A column that is not empty shows at least the lowest block.
            let level = (count * 8).div_ceil(highest);
            BLOCKS[usize::try_from(level).unwrap_or(8).min(8)]
        })
        .collect()
}

// Summary of a sweep of buffer sizes: the best rate, and where it collapses beyond that.

/// Minimum number of sizes in a sweep.
const SIZES_MIN: usize = 5;

/// A rate that falls below this share of the best one, and stays there, has collapsed.
const COLLAPSED_SHARE: f64 = 0.7;

/// One line for each transport that was swept over message sizes with the same total.
fn sweep_lines(results: &[&CaseResult]) -> Vec<String> {
    let streams = results.iter().filter(|result| result.case.scenario.as_str() == "stream");
    let slugs: IndexSet<&str> = streams.map(|result| result.transport.slug.as_str()).collect();
    slugs.into_iter().filter_map(|slug| sweep_line(slug, results)).collect()
}

fn sweep_line(slug: &str, results: &[&CaseResult]) -> Option<String> {
    let mut sizes: Vec<(u64, Quartiles)> = results
        .iter()
        .filter(|result| result.transport.slug.as_str() == slug)
        .filter_map(|result| Some((result.case.message_bytes, rates_per_second(result)?)))
        .collect();
    let one_total = results.windows(2).all(|pair| pair[0].case.total_bytes == pair[1].case.total_bytes);
    if sizes.len() < SIZES_MIN || !one_total {
        return None;
    }
    sizes.sort_unstable_by_key(|(size, _)| *size);
    let best = (0..sizes.len()).max_by_key(|&index| sizes[index].1.median)?;
    let (best_bytes, best_rate) = sizes[best];
    let share = |rate: Quartiles| rate.median as f64 / best_rate.median as f64;
    let mut line = format!("{slug}: best at {}, {}/s", bytes(best_bytes), bytes(best_rate.median));
    let beyond = &sizes[best + 1..];
    let from =
        beyond.iter().rposition(|&(_, rate)| share(rate) >= COLLAPSED_SHARE).map_or(0, |index| index + 1);
    line += &match (beyond.get(from), beyond.last()) {
        (Some(&(size, rate)), _) => {
            format!("; from {} on, {} of that", bytes(size), percent(share(rate)))
        }
        (None, Some(&(size, rate))) => format!("; still {} of that at {}", percent(share(rate)), bytes(size)),
        (None, None) => "; no larger size measured".into(),
    };
    Some(line)
}

// Results of `route` and the channels: senders and receivers, waiting, and the time per delivered message.

const MANY_HEADER: [&str; 11] = [
    "transport",
    "message",
    "from",
    "to",
    "waits",
    "wakes",
    "when full",
    "storage",
    "per message",
    "\u{b1}",
    "delivered",
];

fn many_cells(result: &CaseResult) -> Vec<String> {
    let (case, methodology) = (&result.case, &result.methodology);
    let times_ns: Vec<u64> = result.repetitions.iter().filter_map(|one| time_ns(one, case.peers)).collect();
    let time = Quartiles::of(&times_ns).map_or("none delivered".into(), |times| nanoseconds(times.median));
    vec![
        result.transport.slug.to_string(),
        message(result),
        count(u64::from(case.senders.unwrap_or(1))),
        count(u64::from(case.peers)),
        methodology.receive.to_string(),
        methodology.wake.as_ref().map_or("never".into(), ToString::to_string),
        methodology.on_full.to_string(),
        methodology.storage.to_string(),
        time,
        uncertainty(&times_ns),
        delivered_to_many(result),
    ]
}

/// Time from the first send to the last receipt, divided by the messages that every receiver got. Rejected
/// attempts do not count as messages.
fn time_ns(repetition: &Repetition, receivers: u32) -> Option<u64> {
    repetition.elapsed_ns.checked_div(repetition.delivered / u64::from(receivers.max(1)))
}

fn delivered_to_many(result: &CaseResult) -> String {
    let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum::<u64>();
    let (attempted, accepted) = (sum(|one| one.attempted), sum(|one| one.accepted));
    let mut text = delivered(result);
    if result.is_lossy() {
        let share = percent(accepted as f64 / attempted.max(1) as f64);
        text = format!("LOSSY: {share} of {} attempts accepted", count(attempted));
        let expected = accepted * u64::from(result.case.peers);
        if sum(|one| one.delivered) != expected {
            text = format!("{text}, {} delivered", count(sum(|one| one.delivered)));
        }
        text.push_str(&remarks(result));
    }
    if result.oversubscribed { format!("{text}, oversubscribed") } else { text }
}

// Imported benchmarks: times as in their files.

const IMPORTED_HEADER: [&str; 7] = ["benchmark", "value", "\u{b1}", "min", "max", "runs", "samples"];

/// The title of a table of imported benchmarks: the tool and the kind of time.
fn imported_title(result: &CaseResult) -> String {
    let tool = &result.transport.title;
    let of = match (&result.methodology.statistic, result.case.operations) {
        (None, _) if result.case.measure.is_some() => "median of other measures".to_owned(),
        (Some(statistic), _) if result.case.measure.is_some() => {
            format!("{statistic} of other measures, no samples")
        }
        (None, None) => "median time".to_owned(),
        (None, Some(operations)) => format!("median time of {} operations", count(operations)),
        (Some(statistic), None) => format!("{statistic}, no samples"),
        (Some(statistic), Some(operations)) => {
            format!("{statistic} of {} operations, no samples", count(operations))
        }
    };
    format!("{tool}, {of}")
}

fn imported_name(result: &CaseResult) -> String {
    let mut name = result.case.benchmark.clone().unwrap_or_default();
    if let Some(variant) = &result.case.variant {
        name += &format!(" ({variant})");
    }
    if let Some(measure) = &result.case.measure {
        name += &format!(" {}", measure.name);
    }
    name
}

fn value(result: &CaseResult, stored: u64) -> String {
    value_of(result.case.measure.as_ref(), result.case.operations, stored)
}

/// The cells of a result, from all repetitions merged and the p50 of each.
fn imported_cells(result: &CaseResult, all: Option<&Distribution>, p50s_ns: &[u64]) -> Vec<String> {
    if let Some(summary) = &result.summary {
        return stated(result, summary);
    }
    let time = |ns: Option<u64>| ns.map(|ns| value(result, ns)).unwrap_or_default();
    vec![
        imported_name(result),
        time(all.map(|all| all.quantile_ns(500_000))),
        uncertainty(p50s_ns),
        time(all.map(Distribution::min_ns)),
        time(all.map(Distribution::max_ns)),
        count(p50s_ns.len() as u64),
        all.map(|all| count(all.count())).unwrap_or_default(),
    ]
}

/// The tables of imported results, which are added one at a time: a result takes many times the memory of its row.
#[derive(Debug, Default)]
pub(crate) struct ImportedTables(IndexMap<String, ImportedTable>);

#[derive(Debug, Default)]
struct ImportedTable {
    /// Cells, separated by tabs, which names do not contain.
    rows: Vec<String>,
    facts: BTreeSet<String>,
}

impl ImportedTables {
    /// Adds a result without repetitions, and its repetitions.
    pub(crate) fn add(&mut self, result: &CaseResult, repetitions: &Repetitions) {
        let p50s_ns: Vec<u64> = repetitions.iter().map(|one| one.quantile_ns(500_000)).collect();
        let cells = imported_cells(result, repetitions.merged().as_ref(), &p50s_ns);
        let table = self.0.entry(imported_title(result)).or_default();
        table.rows.push(cells.join("\t"));
        table.facts.extend(facts(&[result]));
    }

    /// The same tables as [`render()`] of the report with these results.
    pub(crate) fn render(&self, report: &RunReport) -> String {
        let mut text = heading(report);
        for (title, ImportedTable { rows, facts }) in &self.0 {
            let rows = output::long_table(&IMPORTED_HEADER, rows, |place| is_number(IMPORTED_HEADER[place]));
            text += &format!("\n{title}\n{rows}\n");
            facts.iter().for_each(|fact| text += &format!(" {fact}\n"));
        }
        text
    }
}

fn stated(result: &CaseResult, summary: &Summary) -> Vec<String> {
    let Summary { center_ns, low_ns, high_ns, min_ns, max_ns, count: samples, .. } = summary;
    let time = |ns: &Option<u64>| ns.map(|ns| value(result, ns)).unwrap_or_default();
    let interval = low_ns.zip(*high_ns).map(|(low, high)| half_width(low, high, *center_ns));
    vec![
        imported_name(result),
        value(result, *center_ns),
        interval.unwrap_or_default(),
        time(min_ns),
        time(max_ns),
        String::new(),
        samples.map(count).unwrap_or_default(),
    ]
}

// The observations of a probe, by result.

/// Number of system calls listed per end; the report has all.
const CALLS_MAX: usize = 4;

/// Lines on the ends of one result; none when no probe ran.
fn watched_lines(result: &CaseResult) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, end) in ["initiator", "responder"].into_iter().enumerate() {
        let ends: Vec<&EndObservation> =
            result.repetitions.iter().filter_map(|repetition| repetition.ends.get(index)).collect();
        let mut seen = calls(&ends);
        seen.extend(counters(&ends));
        if !seen.is_empty() {
            lines.push(format!("{end}: {}", seen.join(", ")));
        }
    }
    lines
}

/// Why counters are missing, each reason once.
fn unavailable(results: &[&CaseResult]) -> Vec<String> {
    let mut names_of: BTreeMap<&str, IndexSet<&str>> = BTreeMap::new();
    let ends = results.iter().flat_map(|result| &result.repetitions).flat_map(|repetition| &repetition.ends);
    for (name, reason) in ends.flat_map(|end| &end.unavailable) {
        names_of.entry(reason).or_default().insert(name);
    }
    let joined = |names: IndexSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let lines = names_of.into_iter();
    lines.map(|(reason, names)| format!("{}: unavailable: {reason}", joined(names))).collect()
}

/// The most frequent calls of the last repetition.
fn calls(ends: &[&EndObservation]) -> Vec<String> {
    let Some(last) = ends.last() else { return Vec::new() };
    last.system_calls.iter().take(CALLS_MAX).map(call).collect()
}

fn call(calls: &SystemCalls) -> String {
    let SystemCalls { name, bytes: moved, count: number } = calls;
    match moved {
        Some(moved) => format!("{} {name} of {}", count(*number), bytes(*moved)),
        None => format!("{} {name}", count(*number)),
    }
}

fn counters(ends: &[&EndObservation]) -> Vec<String> {
    let mut values: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (name, value) in ends.iter().flat_map(|end| &end.counters) {
        values.entry(name).or_default().push(*value);
    }
    let median = |values: &[u64]| Quartiles::of(values).map_or(0, |quartiles| quartiles.median);
    values.into_iter().map(|(name, values)| format!("{} {name}", count(median(&values)))).collect()
}

// One result as the cells of a row.

const HEADER: [&str; 10] =
    ["transport", "message", "p50", "\u{b1}", "p98", "p99", "max", "distribution", "rate", "delivered"];

const OPEN_LOOP_HEADER: [&str; 3] = ["late", "missed", "CPU per message"];

/// Columns with text; all others have numbers.
const WORDS: [&str; 9] =
    ["benchmark", "transport", "distribution", "bar", "delivered", "waits", "wakes", "when full", "storage"];

pub(crate) fn header(result: Option<&&CaseResult>) -> Vec<&'static str> {
    if result.is_some_and(|result| result.case.benchmark.is_some()) {
        return IMPORTED_HEADER.into();
    }
    if result.is_some_and(|result| result.case.messages.is_some()) {
        return MANY_HEADER.into();
    }
    let is_open_loop = result.is_some_and(|result| result.case.scenario.as_str() == "open-loop");
    let further = if is_open_loop { &OPEN_LOOP_HEADER[..] } else { &[] };
    HEADER.into_iter().chain(further.iter().copied()).collect()
}

pub(crate) fn is_number(head: &str) -> bool {
    !WORDS.contains(&head)
}

/// The cells of one result, or the reason why it has none.
pub(crate) fn row(result: &CaseResult) -> crate::Result<Result<Vec<String>, String>> {
    if result.case.benchmark.is_some() {
        let all = merged(&result.repetitions)?;
        return Ok(Ok(imported_cells(result, all.as_ref(), &p50s_ns(result)?)));
    }
    let Some(all) = merged(&result.repetitions)? else {
        let reason =
            result.failures.first().map_or("no repetition finished", |failure| failure.reason.as_str());
        return Ok(Err(format!("failed: {reason}")));
    };
    if result.case.messages.is_some() {
        return Ok(Ok(many_cells(result)));
    }
    let mut cells = vec![transport_name(result), message(result)];
    cells.push(nanoseconds(all.quantile_ns(500_000)));
    cells.push(uncertainty(&p50s_ns(result)?));
    for q_ppm in [980_000, 990_000, 1_000_000] {
        cells.push(nanoseconds(all.quantile_ns(q_ppm)));
    }
    cells.push(shape(&all));
    cells.push(rate(result).unwrap_or_default());
    cells.push(delivered(result));
    if result.case.scenario.as_str() == "open-loop" {
        cells.extend(open_loop(result));
    }
    Ok(Ok(cells))
}

pub(crate) fn p50s_ns(result: &CaseResult) -> crate::Result<Vec<u64>> {
    result.repetitions.iter().map(|repetition| Ok(decode(repetition)?.quantile_ns(500_000))).collect()
}

pub(crate) fn transport_name(result: &CaseResult) -> String {
    let slug = &result.transport.slug;
    result.case.variant.as_ref().map_or_else(|| slug.to_string(), |variant| format!("{slug} ({variant})"))
}

pub(crate) fn message(result: &CaseResult) -> String {
    match &result.case.size_profile {
        Some(profile) => profile.to_string(),
        None => bytes(result.case.message_bytes),
    }
}

/// Half the width of the 95 % interval of the median p50 over the repetitions, as a share of that median.
/// Empty with fewer than six repetitions, which have no interval.
fn uncertainty(p50s_ns: &[u64]) -> String {
    let interval = interval::median(p50s_ns, CONFIDENCE_PPM);
    interval.map_or(String::new(), |interval| half_width(interval.low, interval.high, interval.median))
}

pub(crate) fn merged(repetitions: &[Repetition]) -> crate::Result<Option<Distribution>> {
    let distributions = repetitions.iter().map(decode).collect::<crate::Result<Vec<_>>>()?;
    Ok(Distribution::merged(distributions))
}

pub(crate) fn decode(repetition: &Repetition) -> crate::Result<Distribution> {
    Distribution::decode(&repetition.encoded())
        .map_err(|error| Failure::Other(format!("repetition {}: {error}", repetition.index)))
}

/// Payload bytes per second in `stream`, descriptors per second in `handle-passing`, messages per second with
/// several in flight: the median over repetitions. If a repetition is a single operation, also the quartiles,
/// because nothing else shows the spread.
fn rate(result: &CaseResult) -> Option<String> {
    let Quartiles { q1, median, q3 } = rates_per_second(result)?;
    let unit = |rate: u64| match result.case.scenario.as_str() {
        "stream" => bytes(rate),
        _ => count(rate),
    };
    Some(if result.repetitions.iter().all(|repetition| repetition.count == 1) {
        format!("{}/s ({} to {})", unit(median), unit(q1), unit(q3))
    } else {
        format!("{}/s", unit(median))
    })
}

/// Quartiles of the rate per second over the repetitions: bytes in `stream`, descriptors in `handle-passing`,
/// messages with several in flight.
fn rates_per_second(result: &CaseResult) -> Option<Quartiles> {
    let total = result.case.total_bytes.or((result.methodology.window > 1).then_some(1))?;
    let per_second = |repetition: &Repetition| {
        let operations = u128::from(total) * u128::from(repetition.count);
        u64::try_from(operations * 1_000_000_000 / u128::from(repetition.sum_ns.max(1))).ok()
    };
    let rates: Vec<u64> = result.repetitions.iter().filter_map(per_second).collect();
    Quartiles::of(&rates)
}

/// Late sends, missed receipts, and processor time of both ends per message.
fn open_loop(result: &CaseResult) -> [String; 3] {
    let sum = |of: fn(&Repetition) -> Option<u64>| -> Option<u64> { result.repetitions.iter().map(of).sum() };
    let cpu_ns: Option<u64> = result
        .repetitions
        .iter()
        .flat_map(|repetition| &repetition.ends)
        .map(|EndObservation { user_ns, system_ns, .. }| Some((*user_ns)? + (*system_ns)?))
        .sum();
    let delivered: u64 = result.repetitions.iter().map(|repetition| repetition.delivered).sum();
    [
        sum(|repetition| repetition.late).map(count).unwrap_or_default(),
        sum(|repetition| repetition.missed).map(count).unwrap_or_default(),
        cpu_ns.and_then(|cpu_ns| cpu_ns.checked_div(delivered)).map(nanoseconds).unwrap_or_default(),
    ]
}

fn delivered(result: &CaseResult) -> String {
    let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum::<u64>();
    let (attempted, delivered) = (sum(|r| r.attempted), sum(|r| r.delivered));
    let text = if result.is_lossy() { format!("LOSSY {delivered}/{attempted}") } else { "all".into() };
    text + &remarks(result)
}

fn remarks(result: &CaseResult) -> String {
    let mut text = String::new();
    if !result.failures.is_empty() {
        text.push_str(&format!(", {} failed", result.failures.len()));
    }
    let disturbed = result.repetitions.iter().filter(|repetition| !repetition.disturbed.is_empty()).count();
    if disturbed > 0 {
        text.push_str(&format!(", {disturbed} disturbed"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_best_size_and_collapse_of_a_sweep() {
        let report = crate::golden_report();
        let swept = |message_bytes: u64, nanoseconds: u64| {
            let mut result = report.results[0].clone();
            result.case.scenario = Slug::from_name("stream");
            result.case.message_bytes = message_bytes;
            result.case.total_bytes = Some(16 << 20);
            for repetition in &mut result.repetitions {
                repetition.count = 1;
                repetition.sum_ns = nanoseconds;
            }
            result
        };
        let times = [(1 << 10, 20), (1 << 14, 8), (1 << 16, 5), (1 << 18, 10), (1 << 20, 11), (1 << 24, 12)];
        let results: Vec<CaseResult> =
            times.into_iter().map(|(size, milliseconds)| swept(size, milliseconds * 1_000_000)).collect();
        let lines = sweep_lines(&results.iter().collect::<Vec<_>>());
        assert_eq!(lines, ["pipe: best at 64 KiB, 3.12 GiB/s; from 256 KiB on, 50 % of that"]);
        assert_eq!(title(&results[5], &results), "stream of 16 MiB, 2proc, same-cpu");
    }

    #[test]
    fn table_moves_common_values_and_drops_columns_until_it_fits() {
        let header = vec!["transport", "p50", "p98", "rate", "storage", "delivered"];
        let row = |name: &str, delivered: &str| {
            [name, "1 µs", "2 µs", "", "new", delivered].map(str::to_owned).to_vec()
        };
        let fitted = |width| {
            let (text, note) =
                fitted(header.clone(), vec![row("pipe", "all"), row("tcp", "LOSSY 1/2")], width);
            (text.lines().next().unwrap().split_whitespace().collect::<Vec<_>>().join(" "), note)
        };
        assert_eq!(fitted(80), ("transport p50 p98 storage delivered".into(), None));
        let note = Some("all rows: storage new".to_owned());
        assert_eq!(fitted(40), ("transport p50 p98 delivered".into(), note.clone()));
        assert_eq!(fitted(30), ("transport p50 delivered".into(), note));
    }

    #[test]
    fn colours_failures_only() {
        let mut report = crate::golden_report();
        let failed = &mut report.results[0];
        failed.failures = vec![roundtrip_wire::Failure { repetition: 0, reason: "it hangs".into() }];
        failed.repetitions.clear();
        let programs = [(failed.transport.slug.clone(), "./bin/x, x.toml:3".to_owned())].into();
        let text = render(&report, Style { width: 80, coloured: true, programs: &programs }).unwrap();
        let red: Vec<&str> = text.lines().filter(|line| line.contains('\u{1b}')).collect();
        assert_eq!(red.len(), 1, "{text}");
        assert!(red[0].contains("failed: it hangs (./bin/x, x.toml:3)"), "{text}");
    }

    #[test]
    fn shows_both_modes() {
        let samples = [vec![4_000; 50], vec![40_000; 50]].concat();
        let shape = shape(&Distribution::of_samples(samples).unwrap());
        assert_eq!(shape.matches('█').count(), 2, "{shape:?}");
        assert!(shape.starts_with('█') && shape.contains("  "), "{shape:?}");
    }
}
