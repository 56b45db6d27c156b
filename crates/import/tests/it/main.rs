//! The formats, by real files and by files that are wrong.

mod exact;
mod golden;
mod hostile;
mod known;
mod refused;
mod support;
