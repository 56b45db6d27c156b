//! One bar, as it is printed.

use crate::comparison::Turn;
use roundtrip_stats::interval::Interval;
use serde::Serialize;
use std::fmt::Write as _;

/// A bar, what was measured, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    name: String,
    value: u64,
    unit: &'static str,
    bar: f64,
    bar_is: BarIs,
    ratio_to: String,
    ratio: f64,
    /// The interval that holds the true ratio at 95 %; absent where there were too few turns to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_interval: Option<[f64; 2]>,
    /// Whether the bar holds.
    pub(crate) holds: bool,
}

/// What the bar limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BarIs {
    RatioAtMost,
    RatioAtLeast,
    ValueAtMost,
}

impl Row {
    /// Of what the harness took and what the bare loop took, and the interval of their ratio in millionths.
    pub(crate) fn ratio_at_most(bar: f64, name: String, turn: Turn, interval: Option<Interval>) -> Self {
        let Turn { harness_ns, bare_ns } = turn;
        let ratio = harness_ns as f64 / bare_ns as f64;
        Self {
            name,
            value: harness_ns,
            unit: "ns",
            bar,
            bar_is: BarIs::RatioAtMost,
            ratio_to: format!("a bare C loop ({bare_ns} ns)"),
            ratio,
            ratio_interval: millionths(interval),
            holds: ratio <= bar,
        }
    }

    /// Of a time that may be so long, whatever the bare loop takes.
    pub(crate) fn value_at_most(bar_ns: u64, name: String, turn: Turn, interval: Option<Interval>) -> Self {
        let row = Self::ratio_at_most(0.0, name, turn, interval);
        let holds = turn.harness_ns <= bar_ns;
        Self { bar: bar_ns as f64, bar_is: BarIs::ValueAtMost, holds, ..row }
    }

    /// Of a rate that may not fall below another one.
    pub(crate) fn rate_at_least(
        bar: f64,
        name: String,
        (rate, other): (u64, u64),
        interval: Option<Interval>,
    ) -> Self {
        let ratio = rate as f64 / other.max(1) as f64;
        Self {
            name,
            value: rate,
            unit: "/s",
            bar,
            bar_is: BarIs::RatioAtLeast,
            ratio_to: format!("one receiver ({other}/s)"),
            ratio,
            ratio_interval: millionths(interval),
            holds: ratio >= bar,
        }
    }

    /// Of how many of some there may be at most; the interval is of their share.
    pub(crate) fn share_at_most(
        bar: f64,
        name: String,
        (found, all): (u64, u64),
        interval: [f64; 2],
    ) -> Self {
        let ratio = found as f64 / all.max(1) as f64;
        Self {
            name,
            value: found,
            unit: "",
            bar,
            bar_is: BarIs::RatioAtMost,
            ratio_to: format!("all {all} comparisons"),
            ratio,
            ratio_interval: Some(interval),
            holds: ratio <= bar,
        }
    }

    /// Of how many of some there must be at least.
    pub(crate) fn share_at_least(bar: f64, name: String, counts: (u64, u64), interval: [f64; 2]) -> Self {
        let row = Self::share_at_most(bar, name, counts, interval);
        Self { bar_is: BarIs::RatioAtLeast, holds: row.ratio >= bar, ..row }
    }

    /// Of the time that one way may take of another's, each measured once.
    pub(crate) fn time_at_most(
        bar: f64,
        name: String,
        value_ms: u64,
        (other, other_ms): (String, u64),
    ) -> Self {
        let ratio = value_ms as f64 / other_ms.max(1) as f64;
        Self {
            name,
            value: value_ms,
            unit: "ms",
            bar,
            bar_is: BarIs::RatioAtMost,
            ratio_to: format!("{other}, {other_ms} ms"),
            ratio,
            ratio_interval: None,
            holds: ratio <= bar,
        }
    }
}

fn millionths(interval: Option<Interval>) -> Option<[f64; 2]> {
    interval.map(|Interval { low, high, .. }| [low, high].map(|ppm| ppm as f64 / 1e6))
}

/// All bars, a line each, in columns.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let name_width = width(|row| row.name.len());
    let value_width = width(|row| row.value.to_string().len());
    let bar_width = width(|row| bar(row).len());
    let other_width = width(|row| row.ratio_to.len());
    let mut table = String::new();
    for row in rows {
        let Row { name, value, unit, ratio_to, ratio, ratio_interval, holds, .. } = row;
        let interval =
            ratio_interval.map_or("(too few turns)".into(), |[low, high]| format!("({low:.3} to {high:.3})"));
        let verdict = if *holds { "holds" } else { "MISSED" };
        let bar = bar(row);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{name:name_width$}  {value:>value_width$} {unit:2}  bar {bar:bar_width$}  ratio to {ratio_to:other_width$}  {ratio:.3} {interval:16}  {verdict}"
        );
    }
    table
}

fn bar(Row { bar, bar_is, unit, .. }: &Row) -> String {
    match bar_is {
        BarIs::RatioAtMost => format!("ratio \u{2264} {bar:.2}"),
        BarIs::RatioAtLeast => format!("ratio \u{2265} {bar:.2}"),
        BarIs::ValueAtMost => format!("\u{2264} {bar} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(harness_ns: u64, bare_ns: u64) -> Turn {
        Turn { harness_ns, bare_ns }
    }

    #[test]
    fn a_bar_holds_up_to_itself() {
        for (harness_ns, holds) in [(1_030, true), (1_031, false)] {
            let row = Row::ratio_at_most(1.03, "x".into(), turn(harness_ns, 1_000), None);
            assert_eq!(row.holds, holds, "{harness_ns}");
        }
        for (value_ns, holds) in [(100, true), (101, false)] {
            assert_eq!(
                Row::value_at_most(100, "x".into(), turn(value_ns, 1), None).holds,
                holds,
                "{value_ns}"
            );
        }
        for (rate, holds) in [(50, true), (49, false)] {
            assert_eq!(Row::rate_at_least(1.0, "x".into(), (rate, 50), None).holds, holds, "{rate}");
        }
    }

    #[test]
    fn verdicts_stand_below_each_other() {
        let interval = Interval { low: 990_000, high: 1_010_000, median: 1_000_000 };
        let table = table(&[
            Row::ratio_at_most(1.03, "short".into(), turn(1, 1), Some(interval)),
            Row::value_at_most(5, "far longer".into(), turn(7_654_321, 1_234_567), None),
        ]);
        assert!(table.contains("1.000 (0.990 to 1.010)"), "{table}");
        let [first, second] = table.lines().collect::<Vec<_>>()[..] else { panic!("{table}") };
        let place = |line: &str, word| line.find(word).map(|at| line[..at].chars().count());
        assert_eq!(place(first, "holds"), place(second, "MISSED"), "{table}");
    }
}
