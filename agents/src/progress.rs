//! What stands on standard error while the suite runs. Drawn between repetitions only, never while a clock runs;
//! absent when standard error is not a terminal.

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use roundtrip_bench::harness::Event;

/// A bar over all repetitions, with the time that is left at most: a case may need fewer repetitions than it may have.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(preset: &str) -> Self {
        let bar = ProgressBar::new(0);
        let template = "{prefix} {wide_bar:.dim} {pos}/{len} repetitions  {msg:.dim}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.set_prefix(preset.to_owned());
        Self { bar }
    }

    pub(crate) fn observe(&self, event: &Event<'_>) {
        if let Event::Repetition { case, done, left_max, time_left_max } = event {
            self.bar.set_length(done + left_max);
            self.bar.set_message(format!("at most {} left  {case}", HumanDuration(*time_left_max)));
            self.bar.set_position(*done);
        }
    }

    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
