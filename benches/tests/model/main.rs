//! The ring under a model checker (loom): the same files, compiled with atomics that try every interleaving, and every
//! value that weak memory allows a load to return.
//!
//! A lost wake-up is a deadlock here, because no sleep has a timeout unless a member has died. Access to a message
//! while another thread writes it is detected.

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
