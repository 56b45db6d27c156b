//! The transport suite: how long does a message take, and was every one of them delivered?
//!
//! # Codemap
//! - [`transport`]: the contract [`transport::Transport`], one file per mechanism, and the registry: one list.
//! - [`program`]: programs that bring a transport of their own; [`mechanism`]: the one or the other.
//! - [`scenario`]: traffic patterns over any transport: `roundtrip`, `stream`, `open-loop`, `handle-passing`.
//! - [`definition`]: presets as data (`definitions/*.toml`), parsed into a plan.
//! - [`ring`]: the ring in shared memory, for one sender or many and any number of receivers.
//! - [`link`]: one end of an open channel, and the forms that several transports share; `memory`, `payload`.
//! - [`harness`]: runs a plan: fresh peer processes per repetition, ready barrier, deadline, verification.
//! - [`peer`]: what runs inside such a process, started by a `peer_command`; [`probe`]: what may watch it.
//! - [`scratch`]: folders for channels that need a path.
//! - `sizes`: message sizes, one for all or drawn from a size profile.
//! - [`canary`], [`environment`]: what the machine itself is like while it measures.
//! - [`doctor`]: what makes this machine noisy, and how to mend it.
//! - [`system`]: the operating systems, and which of them has what.
//! - [`sys`]: all that differs between operating systems, one file or folder per capability.
//!
//! # Invariants
//! - Nothing but [`sys`] knows the operating system that it runs on; [`system`] names all of them, as data.
//! - The process that calls [`harness::run`] never measures; its children do, and they die with it.
//! - Unsupported is a reported value with a reason, never a silent skip.

pub mod canary;
pub mod definition;
pub mod doctor;
pub mod environment;
pub mod harness;
pub mod link;
mod loom_shim;
pub mod mechanism;
mod memory;
mod payload;
pub mod peer;
mod peer_command;
pub mod probe;
pub mod program;
pub mod ring;
pub mod scenario;
pub mod scratch;
mod sizes;
pub mod sys;
pub mod system;
pub mod transport;
mod watchdog;

/// The version of the way of measuring. It is part of every methodology: results of two versions are not
/// compared. Raise it only when the way of measuring changes, not with every release.
///
/// 2: messages begin at a page; before, where the allocator put them, which made large copies up to twice as slow.
pub const PROTOCOL_VERSION: u32 = 2;

// Here, because the model checker compiles all that stands in `ring`.
#[cfg(test)]
#[path = "ring/tests.rs"]
mod ring_tests;
