//! One bar, as it is printed.

use roundtrip_stats::interval::Interval;
use serde::Serialize;
use std::fmt::Write as _;

/// The harness may take this much of the bare loop's time.
const BAR: f64 = 1.03;
/// The same for times below [`SHORT_NS`], where a few nanoseconds are already percents.
const BAR_SHORT: f64 = 1.10;
const SHORT_NS: u64 = 1_000;

/// A bar, what was measured, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    name: String,
    value: u64,
    unit: &'static str,
    bar: f64,
    ratio_to: String,
    ratio: f64,
    /// The interval that holds the true ratio at 95 %; absent where there were too few turns to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_interval: Option<[f64; 2]>,
    /// Whether the ratio is at most the bar.
    pub(crate) holds: bool,
}

impl Row {
    /// Of what the harness took and what the bare loop took, and the interval of their ratio in millionths.
    pub(crate) fn new(name: String, harness_ns: u64, bare_ns: u64, interval: Option<Interval>) -> Self {
        let bar = if bare_ns < SHORT_NS { BAR_SHORT } else { BAR };
        let ratio = harness_ns as f64 / bare_ns as f64;
        let ratio_to = format!("a bare C loop ({bare_ns} ns)");
        let ratio_interval =
            interval.map(|Interval { low, high, .. }| [low, high].map(|ppm| ppm as f64 / 1e6));
        Self {
            name,
            value: harness_ns,
            unit: "ns",
            bar,
            ratio_to,
            ratio,
            ratio_interval,
            holds: ratio <= bar,
        }
    }
}

/// All bars, a line each, in columns.
pub(crate) fn table(rows: &[Row]) -> String {
    let name_width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let value_width = rows.iter().map(|row| row.value.to_string().len()).max().unwrap_or(0);
    let other_width = rows.iter().map(|row| row.ratio_to.len()).max().unwrap_or(0);
    let mut table = String::new();
    for Row { name, value, unit, bar, ratio_to, ratio, ratio_interval, holds } in rows {
        let interval =
            ratio_interval.map_or("(too few turns)".into(), |[low, high]| format!("({low:.3} to {high:.3})"));
        let verdict = if *holds { "holds" } else { "MISSED" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{name:name_width$}  {value:>value_width$} {unit}  bar {bar:.2} of {ratio_to:other_width$}  ratio {ratio:.3} {interval:16}  {verdict}"
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_holds_up_to_itself_and_is_wider_below_a_microsecond() {
        for (harness_ns, bare_ns, bar, holds) in [
            (1_030, 1_000, BAR, true),
            (1_031, 1_000, BAR, false),
            (1_098, 999, BAR_SHORT, true),
            (1_099, 999, BAR_SHORT, false),
        ] {
            let row = Row::new("x".into(), harness_ns, bare_ns, None);
            assert_eq!((row.bar, row.holds), (bar, holds), "{harness_ns} to {bare_ns}");
        }
    }

    #[test]
    fn verdicts_stand_below_each_other() {
        let interval = Interval { low: 990_000, high: 1_010_000, median: 1_000_000 };
        let table = table(&[
            Row::new("short".into(), 1, 1, Some(interval)),
            Row::new("far longer".into(), 7_654_321, 1_234_567, None),
        ]);
        assert!(table.contains("ratio 1.000 (0.990 to 1.010)"), "{table}");
        let [first, second] = table.lines().collect::<Vec<_>>()[..] else { panic!("{table}") };
        assert_eq!(first.find("holds"), second.find("MISSED"), "{table}");
    }
}
