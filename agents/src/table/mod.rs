//! The report for people: one table for each traffic and placement, percentiles with units, the shape of the
//! distribution, and what was delivered.

use crate::format::{bytes, count};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use roundtrip_wire::{CaseResult, RunReport};
use std::collections::BTreeSet;
use std::fmt::Write as _;

mod imported;
mod many;
mod row;
mod shape;
mod sweep;
mod watched;

pub(crate) use row::{decode, header, is_number, p50s_ns, row};

/// Renders a report.
pub(crate) fn render(report: &RunReport) -> crate::Result<String> {
    let mut text = heading(report);
    for (title, results) in groups(report) {
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, "\n{title}\n{}\n", table(&results)?);
    }
    Ok(text)
}

/// The results of a report that stand in one table, under what they have in common.
pub(crate) fn groups(report: &RunReport) -> Vec<(String, Vec<&CaseResult>)> {
    let mut groups: Vec<(String, Vec<&CaseResult>)> = Vec::new();
    for result in &report.results {
        let title = title(result, &report.results);
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, results)) => results.push(result),
            None => groups.push((title, vec![result])),
        }
    }
    groups
}

/// What a result is of, in one line.
pub(crate) fn describe(result: &CaseResult) -> String {
    format!("{}: {}", title(result, &[]), name(result))
}

/// What the results of one table have in common.
pub(crate) fn title(result: &CaseResult, all: &[CaseResult]) -> String {
    let case = &result.case;
    if case.benchmark.is_some() {
        return imported::title(result);
    }
    let mut title = case.scenario.to_string();
    if let Some(messages) = case.messages {
        let _ = write!(title, " of {} messages", count(messages));
    }
    if let Some(rate) = case.rate_per_second {
        let _ = write!(title, " at {}/s", count(rate));
    }
    // The total of single messages is said by their size already, unless they end a sweep of smaller ones.
    let is_swept = |total: u64| {
        let mut others = all.iter().map(|other| &other.case).filter(|other| other.scenario == case.scenario);
        others.any(|other| other.total_bytes == Some(total) && other.message_bytes < total)
    };
    if let Some(total) = case.total_bytes.filter(|&total| is_swept(total)) {
        let _ = match case.scenario.as_str() {
            "handle-passing" => write!(title, " of {}", count(total)),
            _ => write!(title, " of {}", bytes(total)),
        };
    }
    if result.methodology.window > 1 {
        let _ = write!(title, ", {} at once", count(u64::from(result.methodology.window)));
    }
    let _ = write!(title, ", {}, {}", case.mode, case.placement);
    if case.size_profile.is_some() {
        title.push_str(", sizes drawn from a profile");
    }
    match case.buffer_bytes {
        Some(buffer) if buffer == case.message_bytes => {
            title.push_str(", kernel buffers as large as the message");
        }
        Some(buffer) => _ = write!(title, ", kernel buffers of {}", bytes(buffer)),
        None => {}
    }
    if let Some(probe) = &result.methodology.probe {
        let _ = write!(title, ", under the probe {probe}");
    }
    title
}

fn heading(report: &RunReport) -> String {
    let modified = if report.work_tree_modified { ", with uncommitted changes" } else { "" };
    let (project, commit, machine) = (&report.project, report.commit.sha.short(), &report.machine.slug);
    if report.results.iter().all(|result| result.case.benchmark.is_some()) {
        return format!("{project} at {commit}{modified}, imported on {machine}\n");
    }
    let fact = |key: &str| report.environment.stable.get(key).map_or("unknown", String::as_str);
    let clock = report.canaries.iter().find(|canary| canary.slug.as_str() == "clock-cost");
    let cost = clock
        .and_then(|canary| canary.p50_ns)
        .map_or("of unknown cost".into(), |ns| format!("{ns} ns a reading"));
    let build = if report.suite.build.as_str() == "debug" {
        "\nThis is a debug build: its figures are not for comparison."
    } else {
        ""
    };
    format!(
        "{project} at {commit}{modified} on {machine} ({} {}, {}; clock {cost}){build}\n",
        report.machine.os,
        fact("os.kernel"),
        fact("cpu.model"),
    )
}

/// What a note calls a result.
pub(crate) fn name(result: &CaseResult) -> String {
    let CaseResult { transport, case, methodology, .. } = result;
    match case.messages {
        _ if case.benchmark.is_some() => imported::name(result),
        None => format!("{} {}", row::transport(result), row::message(result)),
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

/// Each reason why cases of a transport cannot run here, how many they are, and the first of them.
fn unsupported<'a>(results: &[&'a CaseResult]) -> Vec<(&'a str, usize, &'a CaseResult)> {
    let mut found: Vec<(&str, usize, &CaseResult)> = Vec::new();
    for result in results {
        let Some(reason) = result.unsupported.as_deref() else { continue };
        let is_same = |(known, _, first): &&mut (&str, usize, &CaseResult)| {
            *known == reason && first.transport.slug == result.transport.slug
        };
        match found.iter_mut().find(is_same) {
            Some((_, count, _)) => *count += 1,
            None => found.push((reason, 1, result)),
        }
    }
    found
}

/// What each program says of itself, told once.
fn facts(results: &[&CaseResult]) -> BTreeSet<String> {
    let said = results.iter().filter(|result| !result.facts.is_empty()).map(|result| {
        let facts: Vec<String> = result.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("{}: {}", row::transport(result), facts.join(", "))
    });
    said.collect()
}

fn table(results: &[&CaseResult]) -> crate::Result<String> {
    let header = header(results.first());
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.clone());
    let mut notes = Vec::new();
    for (reason, count, first) in unsupported(results) {
        let name = if count == 1 { name(first) } else { format!("{}, {count} cases", first.transport.slug) };
        notes.push(format!(" {name}: not on this machine: {reason}"));
    }
    for result in results.iter().filter(|result| result.unsupported.is_none()) {
        let name = name(result);
        match row(result)? {
            Ok(cells) => {
                table.add_row(cells);
                notes.extend(watched::lines(result).into_iter().map(|line| format!(" {name}, {line}")));
            }
            Err(note) => notes.push(format!(" {name}: {note}")),
        }
    }
    notes.extend(facts(results).into_iter().map(|line| format!(" {line}")));
    notes.extend(sweep::lines(results).into_iter().map(|line| format!(" {line}")));
    notes.extend(watched::unavailable(results).into_iter().map(|line| format!(" {line}")));
    for (index, head) in header.iter().enumerate() {
        if let Some(column) = table.column_mut(index).filter(|_| is_number(head)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let rows = table.trim_fmt();
    let rows = if table.is_empty() { None } else { Some(rows) };
    Ok(rows.into_iter().chain(notes).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_names_its_best_size_and_where_it_collapses() {
        let golden = include_str!("../../../crates/wire/tests/golden/v1/full.json");
        let report: RunReport = serde_json::from_str(golden).unwrap();
        let swept = |message_bytes: u64, nanoseconds: u64| {
            let mut result = report.results[0].clone();
            result.case.scenario = roundtrip_wire::Slug::from_name("stream");
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
        let lines = sweep::lines(&results.iter().collect::<Vec<_>>());
        assert_eq!(lines, ["pipe: best at 64 KiB, 3.12 GiB/s; from 256 KiB on it falls to 50 % of that"]);
        assert_eq!(title(&results[5], &results), "stream of 16 MiB, 2proc, same-cpu");
    }
}
