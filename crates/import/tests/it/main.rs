//! Imports of real files and of invalid files.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod exact;
#[path = "../../fuzz/lib.rs"]
#[expect(unreachable_pub, reason = "of a crate of its own it is the interface")]
mod fuzz;
mod golden;
mod hostile;
mod join;
mod known;
mod known_load;
mod known_more;
mod refused;
mod sizes;
mod support;
