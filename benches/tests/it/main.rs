//! The suite's own tests: every registered transport passes the same conformance suite, and every fault of a peer is a
//! reported failure that leaves nothing behind.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod conformance;
mod faults;
mod link;
mod many;
mod processes;
#[cfg(target_os = "linux")]
mod profiling;
mod support;
mod systems;
#[cfg(target_os = "linux")]
mod tracing;
