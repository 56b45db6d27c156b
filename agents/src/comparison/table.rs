//! A comparison for people: a table for each traffic and placement, what is not compared below it, and a sentence.

use super::beside::probability;
use super::{Line, Side, Verdict};
use crate::format::{count, half_width, nanoseconds, signed_percent};
use crate::terminal::{is_coloured, styled};
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use std::fmt::Write as _;

const HEADER: [&str; 10] =
    ["case", "base p50", "\u{b1}", "head p50", "\u{b1}", "change", "95 % interval", "p", "t", "verdict"];

/// Columns of words.
const WORDS: [&str; 2] = ["case", "verdict"];

/// All lines.
pub(crate) fn render(lines: &[Line]) -> String {
    let mut text = String::new();
    let mut titles: Vec<&str> = Vec::new();
    for line in lines {
        if !titles.contains(&line.title.as_str()) {
            titles.push(&line.title);
        }
    }
    for title in titles {
        let of_title: Vec<&Line> = lines.iter().filter(|line| line.title == title).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{title}\n{}\n", table(&of_title));
    }
    let _ = write!(text, "{}", sentence(lines));
    text
}

fn table(lines: &[&Line]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(HEADER);
    let mut notes = Vec::new();
    for line in lines {
        if let (Some(base), Some(head), Some(change)) = (line.base, line.head, line.change) {
            table.add_row([
                line.name.clone(),
                nanoseconds(base.p50_ns),
                spread(base),
                nanoseconds(head.p50_ns),
                spread(head),
                signed_percent(change),
                line.change_interval.map_or("too few".into(), |[low, high]| {
                    format!("{} to {}", signed_percent(low), signed_percent(high))
                }),
                line.p_adjusted.map(probability).unwrap_or_default(),
                line.t.map(|t| format!("{t:.1} {:3}", line.stars)).unwrap_or_default(),
                verdict(line.verdict),
            ]);
            let undecided = line.undecided.iter().map(|why| format!("inconclusive, {why}"));
            let told = undecided.chain(line.told_beside()).enumerate();
            notes.extend(told.map(|(nth, told)| match nth {
                0 => format!(" {}: {told}", line.name),
                _ => format!("     {told}"),
            }));
        } else {
            notes.push(format!(" {}: not compared", line.name));
            notes.extend(line.differences.iter().map(|difference| format!("     {difference}")));
        }
        notes.extend(line.reasons.iter().map(|reason| format!("     {reason}")));
    }
    for (index, head) in HEADER.iter().enumerate() {
        if let Some(column) = table.column_mut(index).filter(|_| !WORDS.contains(head)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let rows = if table.is_empty() { None } else { Some(table.trim_fmt()) };
    rows.into_iter().chain(notes).collect::<Vec<_>>().join("\n")
}

/// The word, in the colour of what wants attention.
pub(crate) fn verdict(verdict: Verdict) -> String {
    let style = match verdict {
        Verdict::Regressed => AnsiColor::Yellow.on_default().bold(),
        Verdict::Improved => AnsiColor::Cyan.on_default().bold(),
        _ => Style::new(),
    };
    styled(&verdict.to_string(), style, is_coloured())
}

/// How many of which, and how to read it.
fn sentence(lines: &[Line]) -> String {
    let number = |verdict: Verdict| lines.iter().filter(|line| line.verdict == verdict).count() as u64;
    let all = [
        Verdict::Regressed,
        Verdict::Improved,
        Verdict::NoChange,
        Verdict::Inconclusive,
        Verdict::NotComparable,
    ];
    let found: Vec<String> = all
        .into_iter()
        .filter(|&verdict| number(verdict) > 0)
        .map(|verdict| format!("{} {verdict}", count(number(verdict))))
        .collect();
    let noun = if lines.len() == 1 { "case" } else { "cases" };
    let beside = lines.iter().filter(|line| !line.told_beside().is_empty()).count();
    let beside = match beside {
        0 => String::new(),
        number => format!(" {} changed otherwise than by the p50, as said above.", count(number as u64)),
    };
    format!(
        "Of {} {noun}: {}.{beside}\nA change is of the time of an operation: + is slower. p is for all cases together; t and its \
         stars are of each alone.",
        count(lines.len() as u64),
        found.join(", ")
    )
}

/// Half the interval as a share of the time.
fn spread(side: Side) -> String {
    side.interval_ns.map_or(String::new(), |[low, high]| half_width(low, high, side.p50_ns))
}
