//! Progress output: one line per step, with a spinner or a bar on a terminal.
//!
//! All output goes to standard error. Colour follows `NO_COLOR`. Without a terminal, a step prints a line at
//! its start and at its end.

use crate::interrupt;
use console::{StyledObject, Term, style};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::OnceLock;
use std::time::Duration;

const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct Step {
    bar: ProgressBar,
}

impl Step {
    pub(crate) fn start(name: &str) -> Self {
        let bar = ProgressBar::no_length().with_style(layout("")).with_prefix(format!("{name:<26}"));
        let bar = bars().add(bar);
        bar.enable_steady_tick(REDRAW_INTERVAL);
        if !Term::stderr().is_term() {
            print(&format!("  · {name}"));
        }
        Self { bar }
    }

    /// Runs a step that prints no final line.
    pub(crate) fn quietly<T>(name: &str, run: impl FnOnce(&Self) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let step = Self::start(name);
        let made = run(&step)?;
        step.clear();
        Ok(made)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.bar.elapsed()
    }

    /// Shows the current activity, only on terminals.
    pub(crate) fn message(&self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.bar.set_message(text.to_owned());
        }
    }

    /// Turns the spinner into a bar of `total` units.
    pub(crate) fn expect(&self, total: u64) {
        self.bar.set_length(total);
        self.bar.set_style(layout("{bar:24.cyan/dim} {pos:>3}/{len}  ").progress_chars("━╸─"));
    }

    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }

    pub(crate) fn done(self, detail: &str) {
        self.end(style("✓").green(), detail);
    }

    pub(crate) fn failed(self, detail: &str) {
        self.end(style("✗").red(), detail);
    }

    pub(crate) fn skipped(self, reason: &str) {
        self.end(style("-").yellow(), reason);
    }

    /// Ends the step without a line.
    pub(crate) fn clear(self) {
        self.bar.finish_and_clear();
    }

    fn end(&self, mark: StyledObject<&str>, detail: &str) {
        self.bar.finish_and_clear();
        let name = style(self.bar.prefix()).for_stderr().bold();
        let time = style(format!("{:>9}", elapsed(self.elapsed()))).for_stderr().dim();
        print(&format!("  {} {name}  {time}  {detail}", mark.for_stderr()));
    }
}

/// A step dropped by an error has failed. The error itself is printed last.
impl Drop for Step {
    fn drop(&mut self) {
        if interrupt::requested() {
            self.bar.finish_and_clear();
        } else if !self.bar.is_finished() {
            self.end(style("✗").red(), "failed");
        }
    }
}

/// Prints whole lines, not interrupted by other steps or bars.
pub(crate) fn print(lines: &str) {
    bars().suspend(|| eprintln!("{lines}"));
}

/// The bars of all parallel steps.
fn bars() -> &'static MultiProgress {
    static BARS: OnceLock<MultiProgress> = OnceLock::new();
    BARS.get_or_init(MultiProgress::new)
}

pub(crate) fn note(text: &str) {
    print(&format!("    {}", style(text).for_stderr().dim()));
}

pub(crate) fn warning(text: &str) {
    print(&format!("{} {text}", style("warning:").for_stderr().yellow().bold()));
}

pub(crate) fn error(text: &str) {
    print(&format!("{} {text}", style("error:").for_stderr().red().bold()));
}

pub(crate) fn last_lines(log: &str, count: usize) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// Formats a duration: `0.4 s`, `41 s`, `2 m 07 s`.
pub(crate) fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} m {:02} s", seconds / 60, seconds % 60),
    }
}

/// A line with the spinner and this text before the message; only the spinner if the template is invalid.
fn layout(middle: &str) -> ProgressStyle {
    let begin = "  {spinner:.cyan} {prefix:.bold}  {time:>9.dim}  ";
    ProgressStyle::with_template(&format!("{begin}{middle}{{wide_msg:.dim}}"))
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key("time", |state: &ProgressState, text: &mut dyn Write| {
            text.write_str(&elapsed(state.elapsed())).unwrap_or_default();
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_durations() {
        assert_eq!(elapsed(Duration::from_millis(420)), "0.4 s");
        assert_eq!(elapsed(Duration::from_millis(41_900)), "41 s");
        assert_eq!(elapsed(Duration::from_secs(127)), "2 m 07 s");
    }
}
