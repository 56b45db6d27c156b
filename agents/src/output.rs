//! Standard output for people and programs: colours, wrapped lines, tables; and the progress bar on standard
//! error. The bar is drawn only between repetitions, never while a clock runs, and only on a terminal.

use crate::failure::{Failure, OnDisk};
use clap::builder::styling::Style;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use roundtrip_bench::harness::Event;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Writes a text, and adds a missing line break at its end.
pub(crate) fn print(text: &str) -> crate::Result<()> {
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let printed = [text, end].into_iter().try_for_each(|part| out.write_all(part.as_bytes()));
    match printed.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.on_disk("standard output"),
    }
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> crate::Result<()> {
    let json = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Other(format!("cannot encode JSON: {error}")))?;
    print(&json)
}

pub(crate) const WIDTH: u16 = 80;

/// Whether standard output supports colours and `NO_COLOR` is not set (<https://no-color.org>).
pub(crate) fn is_coloured() -> bool {
    let objects = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    io::stdout().is_terminal() && !objects && !dumb
}

pub(crate) fn styled(text: &str, style: Style, coloured: bool) -> String {
    if coloured { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// The width of the terminal; [`WIDTH`] if standard output is not one.
pub(crate) fn terminal_width() -> u16 {
    let size = io::stdout().is_terminal().then(|| terminal_size::terminal_size_of(io::stdout())).flatten();
    size.map_or(WIDTH, |(width, _)| width.0)
}

/// Wraps a text into lines of at most [`WIDTH`], indented by `indent` columns.
pub(crate) fn paragraph(text: &str, indent: u16) -> String {
    wrapped(text, indent, WIDTH)
}

/// Wraps a text into lines of at most `width`, indented by `indent` columns.
pub(crate) fn wrapped(text: &str, indent: u16, width: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width).add_row([text]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((indent, 0));
    }
    table.trim_fmt()
}

/// Aligns rows in columns; columns of numbers are aligned right.
pub(crate) fn table<R: Into<Row>>(
    header: impl Into<Row>,
    rows: impl IntoIterator<Item = R>,
    is_number: impl Fn(usize) -> bool,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header).add_rows(rows);
    align_numbers(&mut table, is_number);
    table.trim_fmt()
}

fn align_numbers(table: &mut Table, is_number: impl Fn(usize) -> bool) {
    for (_, column) in table.column_iter_mut().enumerate().filter(|(place, _)| is_number(*place)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// The same text as of [`table()`] for thousands of rows, whose cells are separated by tabs. Some rows are laid out at a
/// time, because a row takes kilobytes while it is laid out.
pub(crate) fn long_table(header: &[&str], rows: &[String], is_number: impl Fn(usize) -> bool) -> String {
    const ROWS_AT_A_TIME: usize = 200;
    let parts = || {
        rows.chunks(ROWS_AT_A_TIME).map(|rows| {
            let mut table = Table::new();
            table.load_style(presets::NOTHING).add_rows(rows.iter().map(|row| row.split('\t')));
            table
        })
    };
    let mut widths = vec![0; header.len()];
    for mut part in parts() {
        part.set_header(header.iter());
        let of_part = part.column_max_content_widths();
        widths.iter_mut().zip(of_part).for_each(|(widest, width)| *widest = width.max(*widest));
    }
    let texts = parts().enumerate().map(|(index, mut part)| {
        if index == 0 {
            part.set_header(header.iter());
        }
        align_numbers(&mut part, &is_number);
        for (column, width) in part.column_iter_mut().zip(&widths) {
            let width = width.saturating_add(column.padding_width());
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        part.trim_fmt()
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Whether commands and requests are printed, for `--verbose`.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

/// Prints commands and requests from now on.
pub(crate) fn show_details() {
    IS_VERBOSE.store(true, Ordering::Relaxed);
}

/// Prints a command or a request that took this long, for `--verbose`.
pub(crate) fn detail(began: Instant, text: impl FnOnce() -> String) {
    if IS_VERBOSE.load(Ordering::Relaxed) {
        eprintln!("+ {} ({} ms)", text(), began.elapsed().as_millis());
    }
}

/// Whether progress is hidden, for `--quiet`.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Draws no progress bars from now on.
pub(crate) fn hide_progress() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether each repetition prints a line.
static PRINTS_PROGRESS: AtomicBool = AtomicBool::new(false);

/// Prints a line after each repetition from now on.
pub(crate) fn print_progress() {
    PRINTS_PROGRESS.store(true, Ordering::Relaxed);
}

/// Prints this line, if lines of progress are wanted.
pub(crate) fn progress(line: impl FnOnce() -> String) {
    if PRINTS_PROGRESS.load(Ordering::Relaxed) {
        eprintln!("{}", line());
    }
}

/// A bar with `length` steps and this template.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    if IS_QUIET.load(Ordering::Relaxed) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

/// A bar over all repetitions, with the longest remaining time: a case may need fewer repetitions than its
/// maximum.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(preset: &str) -> Self {
        let bar = bar(0, "{prefix} {wide_bar:.dim} {pos}/{len} repetitions  {msg:.dim}");
        bar.set_prefix(preset.to_owned());
        Self { bar }
    }

    pub(crate) fn observe(&self, event: &Event<'_>) {
        if let Event::Repetition { case, done, left_max, time_left_max } = event {
            let message = format!("at most {} left  {case}", HumanDuration(*time_left_max));
            progress(|| format!("{done}/{} repetitions, {message}", done + left_max));
            self.bar.set_length(done + left_max);
            self.bar.set_message(message);
            self.bar.set_position(*done);
        }
    }

    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_out_long_tables_like_short_ones() {
        let header = ["name", "time"];
        for count in [1_usize, 199, 200, 201, 1_000] {
            let rows: Vec<_> = (0..count).map(|row| ["ä名".repeat(row % 7), format!("{row} µs")]).collect();
            let lines: Vec<_> = rows.iter().map(|row| row.join("\t")).collect();
            let is_number = |place: usize| place == 1;
            assert_eq!(
                long_table(&header, &lines, is_number),
                table(header, rows, is_number),
                "{count} rows"
            );
        }
    }

    #[test]
    fn wraps_and_indents_text() {
        let text = paragraph(&"word ".repeat(40), 4);
        assert!(text.lines().count() > 1);
        for line in text.lines() {
            assert!(line.starts_with("    word") && line.ends_with("word"), "{line:?}");
            assert!(line.len() <= usize::from(WIDTH), "{line:?}");
        }
    }
}
