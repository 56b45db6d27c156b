//! The rows that `cargo xtask bench` prints: a name, the measured value and its unit, the target, the ratio to a peer,
//! and whether the target is met. Every benchmark of this repository prints only these rows.

use serde::Serialize;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Exit code of a benchmark that misses a target.
pub const MISSED: u8 = 3;

/// A measured value with its target and the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    name: String,
    value: u64,
    unit: &'static str,
    bar: f64,
    bar_is: BarIs,
    ratio_to: String,
    ratio: f64,
    /// The 95 % confidence interval of the ratio; absent with too few repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_interval: Option<[f64; 2]>,
    /// The best of the repetitions whose median is the value; absent with a single one.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<u64>,
    holds: bool,
}

/// The kind of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarIs {
    /// The ratio must be at most the target.
    RatioAtMost,
    /// The ratio must be at least the target.
    RatioAtLeast,
    /// The value must be at most the target.
    ValueAtMost,
    /// The value must be at least the target.
    ValueAtLeast,
}

/// The reference that a value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Peer {
    /// Its name, with its value and unit if useful.
    pub name: String,
    /// Its value, in the unit of the row.
    pub value: f64,
}

impl Row {
    /// Creates a row from a value, the value of a peer, and the target.
    pub fn new(
        name: impl Into<String>,
        value: u64,
        unit: &'static str,
        peer: Peer,
        bar_is: BarIs,
        bar: f64,
    ) -> Self {
        let ratio = value as f64 / peer.value;
        let holds = match bar_is {
            BarIs::RatioAtMost => ratio <= bar,
            BarIs::RatioAtLeast => ratio >= bar,
            BarIs::ValueAtMost => value as f64 <= bar,
            BarIs::ValueAtLeast => value as f64 >= bar,
        };
        Self {
            name: name.into(),
            value,
            unit,
            bar,
            bar_is,
            ratio_to: peer.name,
            ratio,
            ratio_interval: None,
            best: None,
            holds,
        }
    }

    /// Adds the confidence interval of the ratio.
    #[must_use]
    pub fn with_interval(self, ratio_interval: Option<[f64; 2]>) -> Self {
        Self { ratio_interval, ..self }
    }

    /// Adds the best repetition: the value on an otherwise idle machine.
    #[must_use]
    pub fn with_best(self, best: Option<u64>) -> Self {
        Self { best, ..self }
    }

    /// Whether the target is met.
    pub fn holds(&self) -> bool {
        self.holds
    }
}

/// A part of a benchmark that can be run alone: its name, and a function that measures it, quickly if passed `true`.
pub type Part = (&'static str, fn(bool) -> Vec<Row>);

/// Runs the parts named on the command line, or all of them, and prints their rows. It is the `main` function of a
/// benchmark.
pub fn run(parts: &[Part]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let is_whole = !parts.iter().any(|(part, _)| has(part));
    let wanted = parts.iter().filter(|(part, _)| is_whole || has(part));
    let rows: Vec<Row> = wanted.flat_map(|(_, rows)| rows(has("--quick"))).collect();
    match print(&rows, has("json")) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints all rows, as columns or as a JSON array, and returns the exit code.
///
/// # Errors
/// Writing to standard output failed.
pub fn print(rows: &[Row], json: bool) -> std::io::Result<ExitCode> {
    use std::io::Write as _;
    let text = if json { serde_json::to_string_pretty(rows)? + "\n" } else { table(rows) };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if rows.iter().all(Row::holds) { ExitCode::SUCCESS } else { ExitCode::from(MISSED) })
}

/// Formats all rows as columns, one per line.
pub fn table(rows: &[Row]) -> String {
    let width = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let name_width = width(|row| row.name.chars().count());
    let value_width = width(|row| row.value.to_string().len());
    let unit_width = width(|row| row.unit.len());
    let bar_width = width(|row| bar(row).chars().count());
    let best_width = width(|row| best(row).len());
    let other_width = width(|row| row.ratio_to.chars().count());
    let mut table = String::new();
    for row in rows {
        let Row { name, value, unit, ratio_to, ratio, ratio_interval, holds, .. } = row;
        let interval = ratio_interval.map_or(String::new(), |[low, high]| format!("({low:.3} to {high:.3})"));
        let verdict = if *holds { "holds" } else { "MISSED" };
        let (bar, best) = (bar(row), best(row));
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{name:name_width$}  {value:>value_width$} {unit:unit_width$}{best:best_width$}  bar {bar:bar_width$}  ratio to {ratio_to:other_width$}  {ratio:.3} {interval:16}  {verdict}"
        );
    }
    table
}

fn best(Row { best, .. }: &Row) -> String {
    best.map_or(String::new(), |best| format!("  best {best}"))
}

fn bar(Row { bar, bar_is, unit, .. }: &Row) -> String {
    match bar_is {
        BarIs::RatioAtMost => format!("ratio \u{2264} {bar:.2}"),
        BarIs::RatioAtLeast => format!("ratio \u{2265} {bar:.2}"),
        BarIs::ValueAtMost => format!("\u{2264} {bar} {unit}"),
        BarIs::ValueAtLeast => format!("\u{2265} {bar} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: u64, peer: f64, bar_is: BarIs, bar: f64) -> Row {
        Row::new(
            name,
            value,
            "ns",
            Peer { name: format!("a bare C loop ({peer} ns)"), value: peer },
            bar_is,
            bar,
        )
    }

    #[test]
    fn a_target_includes_its_limit() {
        for (bar_is, bar, value, holds) in [
            (BarIs::RatioAtMost, 1.03, 1_030, true),
            (BarIs::RatioAtMost, 1.03, 1_031, false),
            (BarIs::RatioAtLeast, 1.0, 1_000, true),
            (BarIs::RatioAtLeast, 1.0, 999, false),
            (BarIs::ValueAtMost, 100.0, 100, true),
            (BarIs::ValueAtMost, 100.0, 101, false),
            (BarIs::ValueAtLeast, 50.0, 50, true),
            (BarIs::ValueAtLeast, 50.0, 49, false),
        ] {
            assert_eq!(row("x", value, 1_000.0, bar_is, bar).holds(), holds, "{bar_is:?} {value}");
        }
    }

    #[test]
    fn best_value_is_printed_next_to_the_median() {
        let rows = [
            row("one turn", 7, 7.0, BarIs::ValueAtMost, 9.0),
            row("many", 7, 7.0, BarIs::ValueAtMost, 9.0).with_best(Some(5)),
        ];
        let text = table(&rows);
        assert!(text.contains("7 ns  best 5  bar"), "{text}");
        assert!(!table(&rows[..1]).contains("best"), "{text}");
    }

    #[test]
    fn verdicts_are_aligned() {
        let table = table(&[
            row("short", 1, 1.0, BarIs::RatioAtMost, 1.03).with_interval(Some([0.99, 1.01])),
            row("far longer", 7_654_321, 1_234_567.0, BarIs::ValueAtMost, 5.0),
        ]);
        assert!(table.contains("1.000 (0.990 to 1.010)"), "{table}");
        let [first, second] = table.lines().collect::<Vec<_>>()[..] else { panic!("{table}") };
        let place = |line: &str, word| line.find(word).map(|at| line[..at].chars().count());
        assert_eq!(place(first, "holds"), place(second, "MISSED"), "{table}");
    }
}
