//! Changes for people: a table for each series that has some, a line for each that has none, and a sentence.

use super::{ChangePoint, Series};
use crate::cli::Direction;
use crate::comparison::{Verdict, table::verdict};
use crate::format::{count, figure, signed_percent};
use comfy_table::{CellAlignment, Table, presets};
use roundtrip_stats::change_point::Method;
use std::fmt::Write as _;

/// The last column is of words.
const HEADER: [&str; 6] = ["index", "95 % interval", "before", "after", "change", "verdict"];

/// All series.
pub(super) fn render(series: &[Series], direction: Direction) -> String {
    let mut text = String::new();
    let mut has_table = false;
    for one in series {
        let had_table = std::mem::replace(&mut has_table, !one.change_points.is_empty());
        if !text.is_empty() && (had_table || has_table) {
            text.push('\n');
        }
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}: {}", printable(&one.name), outcome(one));
        if has_table {
            let _ = writeln!(text, "{}", table(&one.change_points));
        }
    }
    text + "\n" + &sentence(series, direction)
}

fn outcome(series: &Series) -> String {
    let points = counted(series.points, "point");
    let least = 2 * Method::shipped().settings().persistence;
    match series.change_points.len() {
        0 if series.points < least => format!("{points}, too few to tell: a change takes {least} or more"),
        0 => format!("{points}, no change"),
        changes => format!("{points}, {}", counted(changes, "change")),
    }
}

fn table(changes: &[ChangePoint]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(HEADER);
    for change in changes {
        let ChangePoint { index, before, after, interval: [first, last], .. } = *change;
        table.add_row([
            index.to_string(),
            if first == last { first.to_string() } else { format!("{first} to {last}") },
            figure(before),
            figure(after),
            signed_percent(after / before - 1.0),
            verdict(change.verdict),
        ]);
    }
    for column in table.column_iter_mut().take(HEADER.len() - 1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// How many of which, and how to read it.
fn sentence(series: &[Series], direction: Direction) -> String {
    let number = |verdict: Verdict| {
        series.iter().flat_map(|one| &one.change_points).filter(|change| change.verdict == verdict).count()
    };
    let [regressed, improved] = [Verdict::Regressed, Verdict::Improved].map(number);
    let all = regressed + improved;
    let sum = format!("{} series, {}", count(series.len() as u64), counted(all, "change"));
    if all == 0 {
        return format!("{sum}.");
    }
    let better = match direction {
        Direction::Lower => "lower",
        Direction::Higher => "higher",
    };
    format!(
        "{sum}: {} regressed, {} improved.\nA new level begins at its index, and with 95 % probability within the \
         interval.\nValues are better when {better}.",
        count(regressed as u64),
        count(improved as u64)
    )
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number as u64))
}

/// A name that does nothing to the terminal.
fn printable(name: &str) -> String {
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}
