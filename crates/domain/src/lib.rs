//! The logic of Roundtrip's server: what uploads mean, what changed, what to do, and who may access it. It lies between the
//! HTTP API (`roundtrip-server`) and the database (`roundtrip-storage`). Functions that read or write fail if the database
//! does not answer or the named thing does not exist; `# Errors` lists the other failures.
//!
//! # Codemap
//! - [`access`]: authorization. [`oidc`]: CI jobs that prove their identity. [`audited`]: changes by users, with their entry
//!   in the audit log.
//! - [`ingest`]: from the bytes of an upload to checked rows: limits, parsing, distributions, commit order.
//! - [`graph`]: commits and parents, and where lines of them diverge.
//! - [`analysis`]: change points, and their causes. [`track`]: the points of a series that are searched together.
//! - [`charts`]: between rows and charts: selection and encoding of points. [`comparison`]: two commits or runs.
//! - [`advice`]: estimated costs of each transport. [`questions`]: the questions of publications. [`published`]: published
//!   results of others.
//! - [`queue`]: jobs for agents. [`tasks`]: background work, done by one server at a time.
//! - [`timeline`]: comments on a regression, and the history of its triage.
//! - [`machine_history`]: the state of a machine by day.
//! - [`notify`]: notifications to channels. [`live`]: notifies clients of new runs.
//! - [`units`]: formatted numbers. [`error`]: the common error type.

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
pub mod machine_history;
pub mod notify;
pub mod oidc;
pub mod published;
pub mod questions;
pub mod queue;
pub mod tasks;
pub mod timeline;
pub mod track;
pub mod units;
