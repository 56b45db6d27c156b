//! The formats, by real files and by files that are wrong.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod exact;
mod golden;
mod hostile;
mod known;
mod refused;
mod sizes;
mod support;
