//! Simulated comparisons with known changes: coverage of intervals, false alarms and detection rates.
//!
//! - [`draws`]: samples of repetitions with known noise. [`coverage`], [`stopped`]: intervals. [`alarms`]: A/A
//!   comparisons. [`power`]: detection of changes. [`shapes`]: distributions with an equal p50.
//!   [`reports`]: reports of a machine that changed.

mod alarms;
mod coverage;
pub(crate) mod draws;
mod power;
mod reports;
mod shapes;
pub(crate) mod simulated;
mod stopped;

use roundtrip_budget::Row;

/// A seed that was not used to choose any setting.
const SEED: u64 = 20_261_124;
const ROWS: usize = 200;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let parts = [coverage::rows, stopped::rows, alarms::rows, power::rows, shapes::rows, reports::rows];
    parts.into_iter().flat_map(|rows| rows(is_quick)).collect()
}
