//! How it went: a line a promise, and in words what was lost.

use super::promise::{HeldBy, Promise};
use super::rounds::Verdict;
use crate::screen;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

const HEAD: [&str; 6] = ["promise", "fault", "test", "rounds", "held", "time"];
/// From here on, columns have a word each.
const FIRST_SHORT: usize = 3;

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

/// All promises, a row each, in lines of at most so many characters.
pub(crate) fn table(rows: &[Row], width: u16) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    table.set_header(HEAD);
    table.add_rows(rows.iter().map(Row::cells));
    // A number is not broken in two.
    for column in table.column_iter_mut().skip(FIRST_SHORT) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    format!("{}\n", table.trim_fmt())
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
    fn it_fits_into_a_terminal_and_says_what_held() {
        let table = table(&[row(0, Verdict::Held), row(4, Verdict::Broken(String::new()))], 100);
        assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
        let says: Vec<&str> = table.lines().filter(|line| line.contains(" 10 ")).collect();
        assert_eq!(says.len(), 2, "{table}");
        assert!(says[0].contains("held") && says[1].contains("BROKEN"), "{table}");
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
