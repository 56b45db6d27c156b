//! What Roundtrip's server does, whoever asks: what uploads mean, what changed, what is to be done and who may know of it. It
//! stands between the HTTP API (`roundtrip-server`) and the database (`roundtrip-storage`). Where a function reads or writes,
//! it fails when the database does not answer or has nothing of the given name; `# Errors` names what else can go wrong.
//!
//! # Codemap
//! - [`access`]: who may do what. [`oidc`]: jobs that prove who they are. [`audited`]: changes of who is let in, with their line in
//!   the audit log.
//! - [`ingest`]: from the bytes of an upload to checked rows: limits, parsing, distributions, commit order.
//! - [`graph`]: commits and parents, and where lines of them part.
//! - [`analysis`]: where series change their level, and what made them.
//! - [`charts`]: between rows and what charts draw: which points, in how few numbers. [`comparison`]: two commits or runs.
//! - [`advice`]: what messages would cost over each transport. [`questions`]: what publications ask. [`published`]: what others
//!   have measured and published.
//! - [`queue`]: agents wait here for work, which other requests ask for. [`tasks`]: what servers do in the background, one of
//!   them at a time.
//! - [`notify`]: people are told what happens, where they asked for it. [`live`]: clients are told of new runs.
//! - [`units`]: figures as people read them. [`error`]: the one error type of all this.

pub mod access;
pub mod advice;
pub mod analysis;
pub mod audited;
pub mod charts;
pub mod comparison;
pub mod error;
pub mod graph;
pub mod ingest;
pub mod live;
pub mod notify;
pub mod oidc;
pub mod published;
pub mod questions;
pub mod queue;
pub mod tasks;
pub mod units;
