//! How it went: a line a promise, and in words what was lost.

use super::promise::{HeldBy, Promise};
use super::rounds::Verdict;
use crate::screen;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

const HEAD: [&str; 6] = ["promise", "fault", "test", "rounds", "held", "time"];

/// A promise that was tried.
pub(crate) struct Row {
    pub(crate) promise: &'static Promise,
    pub(crate) rounds: u32,
    pub(crate) verdict: Verdict,
    pub(crate) took: Duration,
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let tests = self.promise.held_by.tests();
        let test = match (&self.promise.held_by, tests) {
            (HeldBy::Soak, _) | (_, []) => "cargo xtask bench server --only soak".to_owned(),
            (_, [only]) => only.to_string(),
            (_, [first, others @ ..]) => format!("{first} and {} more", others.len()),
        };
        let verdict = match &self.verdict {
            Verdict::Held => "held",
            Verdict::Broken(_) => "BROKEN",
            Verdict::Missed => "MISSED",
            Verdict::NotTried(_) => "not tried",
        };
        [
            self.promise.says.to_owned(),
            self.promise.fault.to_owned(),
            test,
            self.rounds.to_string(),
            verdict.to_owned(),
            screen::elapsed(self.took),
        ]
    }
}

/// All promises, a line each, in columns.
pub(crate) fn table(rows: &[Row]) -> String {
    let cells: Vec<[String; 6]> =
        std::iter::once(HEAD.map(str::to_owned)).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut table = String::new();
    for row in &cells {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            // Writing to a string cannot fail.
            let _ = write!(line, "{cell:width$} | ");
        }
        let _ = writeln!(table, "{}", line.trim_end_matches([' ', '|']));
    }
    table
}

/// What was lost, in words.
pub(crate) fn closing_line(rows: &[Row]) -> String {
    let of = |wanted: fn(&Verdict) -> bool| -> Vec<&str> {
        rows.iter().filter(|row| wanted(&row.verdict)).map(|row| row.promise.says).collect()
    };
    let held = of(|verdict| *verdict == Verdict::Held).len();
    let broken = of(|verdict| matches!(verdict, Verdict::Broken(_) | Verdict::Missed));
    let not_tried = of(|verdict| matches!(verdict, Verdict::NotTried(_))).len();
    let mut line = format!("{held} held, {} broken", broken.len());
    if not_tried > 0 {
        let _ = write!(line, ", {not_tried} not tried here");
    }
    match broken.as_slice() {
        [] => line.push_str("; nothing was lost"),
        broken => {
            let _ = write!(line, "; not true any more: {}", broken.join(" "));
        }
    }
    line
}

/// 1 for a promise that is broken, 3 for a bar that was missed.
pub(crate) fn exit_code(rows: &[Row]) -> ExitCode {
    let any = |wanted: fn(&Verdict) -> bool| rows.iter().any(|row| wanted(&row.verdict));
    if any(|verdict| matches!(verdict, Verdict::Broken(_))) {
        ExitCode::FAILURE
    } else if any(|verdict| *verdict == Verdict::Missed) {
        ExitCode::from(roundtrip_budget::MISSED)
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::super::promises;
    use super::*;

    fn row(number: usize, verdict: Verdict) -> Row {
        Row { promise: &promises::ALL[number], rounds: 10, verdict, took: Duration::from_secs(2) }
    }

    #[test]
    fn columns_stand_below_each_other() {
        let table = table(&[row(0, Verdict::Held), row(4, Verdict::Broken(String::new()))]);
        let places: Vec<usize> = table.lines().map(|line| line.rfind(" | ").unwrap()).collect();
        assert!(places.iter().all(|place| *place == places[0]), "{table}");
        assert!(table.contains("| held ") && table.contains("| BROKEN |"), "{table}");
    }

    #[test]
    fn the_last_line_says_what_was_lost() {
        let mut rows = vec![row(0, Verdict::Held), row(1, Verdict::NotTried("no root".into()))];
        assert_eq!(closing_line(&rows), "1 held, 0 broken, 1 not tried here; nothing was lost");
        assert_eq!(exit_code(&rows), ExitCode::SUCCESS);
        rows.push(row(2, Verdict::Missed));
        assert_eq!(exit_code(&rows), ExitCode::from(3));
        rows.push(row(3, Verdict::Broken(String::new())));
        assert_eq!(exit_code(&rows), ExitCode::FAILURE);
        let line = closing_line(&rows);
        assert!(line.contains("2 broken, 1 not tried here; not true any more: What was stored"), "{line}");
    }
}
