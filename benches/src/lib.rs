//! The benchmark suite: measures transports and verifies that every message is delivered.
//!
//! # Codemap
//! - [`transport`]: the trait [`transport::Transport`], one file per mechanism, and the list of all.
//! - [`program`]: programs with their own transport; [`mechanism`]: a transport or a program.
//! - [`scenario`]: traffic patterns over any transport, such as `roundtrip`, `stream`, `open-loop` and `handle-passing`.
//! - [`definition`]: presets as data (`definitions/*.toml`), parsed into a plan.
//! - [`ring`]: the shared-memory ring, for one or more senders and any number of receivers.
//! - [`link`]: one end of an open channel, and forms shared by several transports; `memory`, `payload`.
//! - [`harness`]: runs a plan: new processes per repetition, ready barrier, deadline, verification.
//! - [`peer`]: the code inside such a process, started by a `peer_command`; [`probe`]: probes that observe it.
//! - [`scratch`]: folders for channels that need a path.
//! - `sizes`: message sizes, fixed or sampled from a size profile.
//! - [`canary`], [`environment`]: the state of the machine during measurement.
//! - [`doctor`]: sources of noise, and how to fix them.
//! - [`system`]: the supported operating systems, and the mechanisms that each has.
//! - [`sys`]: everything specific to an operating system, one file or folder per capability.
//!
//! # Invariants
//! - Only [`sys`] depends on the operating system; [`system`] lists all of them as data.
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

/// The version of the measurement method. It is part of every methodology: results with different versions are not
/// compared. Raise it only when the method changes, not with every release.
///
/// 2: messages begin at a page boundary. Before, the allocator decided, which made large copies up to twice as slow.
pub const PROTOCOL_VERSION: u32 = 2;

/// The build of the measured code, as reports name it: `release`, or `debug` with the checks of a test build. Results of
/// different builds are not compared. The dev profile compiles this crate as for a release.
pub const BUILD: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

// Here, because the model checker compiles every file in `ring`.
#[cfg(test)]
#[path = "ring/tests.rs"]
mod ring_tests;
