//! What the user sees: one line a step, with a spinner or a bar while it runs on a terminal.
//!
//! Everything here goes to standard error. Colour follows `NO_COLOR`; without a terminal a step prints a line
//! when it starts and one when it ends.

use crate::interrupt;
use console::{Style, Term, style};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const NAME_WIDTH: usize = 26;
const TIME_WIDTH: usize = 9;
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// One step that takes a while.
pub(crate) struct Step {
    name: String,
    bar: ProgressBar,
    started: Instant,
    has_ended: bool,
}

impl Step {
    /// Begins a step.
    pub(crate) fn start(name: &str) -> Self {
        let bar = bars().add(
            ProgressBar::no_length()
                .with_style(layout("  {spinner:.cyan} {prefix:.bold}  {spent:.dim}  {wide_msg:.dim}"))
                .with_prefix(format!("{name:<NAME_WIDTH$}")),
        );
        bar.enable_steady_tick(REDRAW_INTERVAL);
        if !Term::stderr().is_term() {
            print(&format!("  · {name}"));
        }
        Self { name: name.to_owned(), bar, started: Instant::now(), has_ended: false }
    }

    /// Runs a step that ends without a line.
    pub(crate) fn quietly<T>(name: &str, run: impl FnOnce(&Self) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let step = Self::start(name);
        let made = run(&step)?;
        step.clear();
        Ok(made)
    }

    /// How long it has taken so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// What it is doing right now. Seen on terminals only.
    pub(crate) fn message(&self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.bar.set_message(text.to_owned());
        }
    }

    /// Turns the spinner into a bar of `total` units.
    pub(crate) fn expect(&self, total: u64) {
        self.bar.set_length(total);
        self.bar.set_style(
            layout("  {spinner:.cyan} {prefix:.bold}  {spent:.dim}  {bar:24.cyan/dim} {pos:>3}/{len}  {wide_msg:.dim}")
                .progress_chars("━╸─"),
        );
    }

    /// One more unit of the bar is done.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Ends the step well.
    pub(crate) fn done(mut self, detail: &str) {
        self.end("✓", &Style::new().green(), detail);
    }

    /// Ends the step badly.
    pub(crate) fn failed(mut self, detail: &str) {
        self.end("✗", &Style::new().red(), detail);
    }

    /// Ends the step without having done it.
    pub(crate) fn skipped(mut self, reason: &str) {
        self.end("-", &Style::new().yellow(), reason);
    }

    /// Ends the step without a line.
    pub(crate) fn clear(mut self) {
        self.has_ended = true;
    }

    fn end(&mut self, mark: &str, colour: &Style, detail: &str) {
        self.has_ended = true;
        self.bar.finish_and_clear();
        print(&format!(
            "  {} {}  {}  {detail}",
            colour.clone().for_stderr().apply_to(mark),
            style(format!("{:<NAME_WIDTH$}", self.name)).for_stderr().bold(),
            style(format!("{:>TIME_WIDTH$}", elapsed(self.started.elapsed()))).for_stderr().dim(),
        ));
    }
}

/// A step that an error ended has failed; the error itself follows as the last line.
impl Drop for Step {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if !self.has_ended && !interrupt::requested() {
            self.end("✗", &Style::new().red(), "failed");
        }
    }
}

/// Prints whole lines, which no other step's lines and no bar interrupt.
pub(crate) fn print(lines: &str) {
    bars().suspend(|| eprintln!("{lines}"));
}

/// The bars of all steps that run side by side.
fn bars() -> &'static MultiProgress {
    static BARS: OnceLock<MultiProgress> = OnceLock::new();
    BARS.get_or_init(MultiProgress::new)
}

/// A line of explanation.
pub(crate) fn note(text: &str) {
    print(&format!("    {}", style(text).for_stderr().dim()));
}

/// A line that asks for attention without ending anything.
pub(crate) fn warning(text: &str) {
    print(&format!("{} {text}", style("warning:").for_stderr().yellow().bold()));
}

/// The sentence with which the program ends.
pub(crate) fn error(text: &str) {
    print(&format!("{} {text}", style("error:").for_stderr().red().bold()));
}

/// How many characters a line of standard output has; where it is no terminal, a number that is read well.
pub(crate) fn width() -> u16 {
    Term::stdout().size_checked().map_or(120, |(_, columns)| columns)
}

/// The end of a program's log.
pub(crate) fn last_lines(log: &str, count: usize) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// A duration to read: `0.4 s`, `41 s`, `2 m 07 s`.
pub(crate) fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} m {:02} s", seconds / 60, seconds % 60),
    }
}

fn layout(template: &str) -> ProgressStyle {
    // The templates are constants of this file; a mistyped one still shows the plain spinner.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.with_key("spent", |state: &ProgressState, text: &mut dyn Write| {
        // Writing to a string does not fail.
        let _ = write!(text, "{:>TIME_WIDTH$}", elapsed(state.elapsed()));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_the_digits_that_matter() {
        assert_eq!(elapsed(Duration::from_millis(420)), "0.4 s");
        assert_eq!(elapsed(Duration::from_millis(41_900)), "41 s");
        assert_eq!(elapsed(Duration::from_secs(127)), "2 m 07 s");
    }
}
