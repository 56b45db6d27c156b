//! The report for people: one table for each traffic and placement, percentiles with units, the shape of the
//! distribution, and what was delivered.

use crate::failure::Failure;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use roundtrip_stats::distribution::Encoded;
use roundtrip_stats::{Distribution, Quartiles};
use roundtrip_wire::{CaseResult, Repetition, RunReport};
use std::fmt::Write as _;

/// Columns of the little histogram.
const SHAPE_WIDTH: u32 = 16;

/// Renders a report.
pub(crate) fn render(report: &RunReport) -> crate::Result<String> {
    let mut text = heading(report);
    let mut groups: Vec<(String, Vec<&CaseResult>)> = Vec::new();
    for result in &report.results {
        let title = format!("{}, {}, {}", result.case.scenario, result.case.mode, result.case.placement);
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, results)) => results.push(result),
            None => groups.push((title, vec![result])),
        }
    }
    for (title, results) in groups {
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, "\n{title}\n{}\n", table(&results)?);
    }
    Ok(text)
}

fn heading(report: &RunReport) -> String {
    let fact = |key: &str| report.environment.stable.get(key).map_or("unknown", String::as_str);
    let clock = report.canaries.iter().find(|canary| canary.slug.as_str() == "clock-cost");
    let cost = clock
        .and_then(|canary| canary.p50_ns)
        .map_or("of unknown cost".into(), |ns| format!("{ns} ns a reading"));
    let modified = if report.work_tree_modified { ", with uncommitted changes" } else { "" };
    let build = if report.suite.build.as_str() == "debug" {
        "\nThis is a debug build: its figures are not for comparison."
    } else {
        ""
    };
    format!(
        "{} at {}{modified} on {} ({} {}, {}; clock {cost}){build}\n",
        report.project,
        report.commit.sha.short(),
        report.machine.slug,
        report.machine.os,
        fact("os.kernel"),
        fact("cpu.model"),
    )
}

fn table(results: &[&CaseResult]) -> crate::Result<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header([
        "transport",
        "message",
        "p50",
        "p98",
        "p99",
        "max",
        "distribution",
        "rate",
        "delivered",
    ]);
    let mut notes = Vec::new();
    for result in results {
        match row(result)? {
            Ok(cells) => _ = table.add_row(cells),
            Err(note) => {
                notes.push(format!(
                    " {} {}: {note}",
                    result.transport.slug,
                    bytes(result.case.message_bytes)
                ));
            }
        }
    }
    for column in [1, 2, 3, 4, 5, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let rows = table.trim_fmt();
    let rows = if table.is_empty() { None } else { Some(rows) };
    Ok(rows.into_iter().chain(notes).collect::<Vec<_>>().join("\n"))
}

/// The cells of one result, or why it has none.
fn row(result: &CaseResult) -> crate::Result<Result<Vec<String>, String>> {
    if let Some(reason) = &result.unsupported {
        return Ok(Err(format!("not on this machine: {reason}")));
    }
    let Some(all) = merged(&result.repetitions)? else {
        let reason =
            result.failures.first().map_or("no repetition finished", |failure| failure.reason.as_str());
        return Ok(Err(format!("failed: {reason}")));
    };
    let mut cells = vec![result.transport.slug.to_string(), bytes(result.case.message_bytes)];
    for q_ppm in [500_000, 980_000, 990_000, 1_000_000] {
        cells.push(nanoseconds(all.quantile_ns(q_ppm)));
    }
    cells.push(shape(&all));
    cells.push(rate(result).unwrap_or_default());
    cells.push(delivered(result));
    Ok(Ok(cells))
}

/// All repetitions together, as the charts show them.
fn merged(repetitions: &[Repetition]) -> crate::Result<Option<Distribution>> {
    let mut all: Option<Distribution> = None;
    for repetition in repetitions {
        let one = Distribution::decode(&Encoded {
            histogram: &repetition.histogram,
            samples: repetition.samples.as_deref(),
            count: repetition.count,
            min_ns: repetition.min_ns,
            max_ns: repetition.max_ns,
            sum_ns: repetition.sum_ns,
        })
        .map_err(|error| Failure::Other(format!("repetition {}: {error}", repetition.index)))?;
        match &mut all {
            Some(all) => all.merge(&one),
            None => all = Some(one),
        }
    }
    Ok(all)
}

/// Payload bytes a second in `stream`: the median over repetitions.
fn rate(result: &CaseResult) -> Option<String> {
    let total = result.case.total_bytes?;
    let rates: Vec<u64> = result
        .repetitions
        .iter()
        .filter_map(|repetition| {
            let rate = u128::from(total) * u128::from(repetition.count) * 1_000_000_000
                / u128::from(repetition.sum_ns.max(1));
            u64::try_from(rate).ok()
        })
        .collect();
    Some(format!("{}/s", bytes(Quartiles::of(&rates)?.median)))
}

fn delivered(result: &CaseResult) -> String {
    let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum::<u64>();
    let (attempted, delivered) = (sum(|r| r.attempted), sum(|r| r.delivered));
    let mut text = if result.is_lossy() { format!("LOSSY {delivered}/{attempted}") } else { "all".into() };
    if !result.failures.is_empty() {
        let _ = write!(text, ", {} failed", result.failures.len());
    }
    let disturbed = result.repetitions.iter().filter(|repetition| !repetition.disturbed.is_empty()).count();
    if disturbed > 0 {
        let _ = write!(text, ", {disturbed} disturbed");
    }
    text
}

/// The distribution from its smallest value to p99.9 on a logarithmic axis: the higher the block, the more often.
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

/// Three significant digits with the unit.
fn nanoseconds(ns: u64) -> String {
    scaled(ns as f64, 1000.0, &["ns", "µs", "ms", "s"])
}

/// Exact where it is a whole number of a unit, else three significant digits.
fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"])
}

fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut units = units.iter().peekable();
    while let Some(unit) = units.next() {
        // 999.6 ns would round to 1000 ns: it is 1.00 µs.
        if units.peek().is_none() || value < step.min(999.5) {
            let decimals = match value {
                _ if value.fract() == 0.0 => 0,
                v if v < 9.995 => 2,
                v if v < 99.95 => 1,
                _ => 0,
            };
            return format!("{value:.decimals$} {unit}");
        }
        value /= step;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_significant_digits_and_a_unit() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (4_016, "4.02 µs"),
            (12_345, "12.3 µs"),
            (999_600, "1.00 ms"),
            (60_000_000_000, "60 s"),
        ] {
            assert_eq!(nanoseconds(ns), text);
        }
    }

    #[test]
    fn sizes_are_exact_where_they_are_round() {
        for (size, text) in [(64, "64 B"), (1_024, "1 KiB"), (65_536, "64 KiB"), (1_500, "1.46 KiB")] {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn a_bimodal_distribution_looks_bimodal() {
        let samples = [vec![4_000; 50], vec![40_000; 50]].concat();
        let shape = shape(&Distribution::of_samples(samples).unwrap());
        assert_eq!(shape.matches('█').count(), 2, "{shape:?}");
        assert!(shape.starts_with('█') && shape.contains("  "), "{shape:?}");
    }
}
