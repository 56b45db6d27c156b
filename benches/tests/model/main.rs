//! The ring under a model checker (loom): its very files, compiled once more over atomics that try every interleaving,
//! and every value that weak memory allows a load to see.
//!
//! A wake-up that is lost is a deadlock here, because nothing sleeps with patience unless somebody has died. Who touches
//! a message while another writes it is seen by its witness.

#![expect(dead_code, unreachable_pub, reason = "the model uses a part of the ring")]
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod loom_shim;
mod sys;
mod watchdog;

#[path = "../../src/ring/mod.rs"]
mod ring;

mod many;
mod one;
mod support;
